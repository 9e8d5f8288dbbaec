/** OpenAI's Responses API: the answer is a list of items, and the last event has all of it once more. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { complaintIn, complaintOfEvent } from './api-error.ts';
import { eventFailure, type Failure, malformed } from '../client/failure.ts';
import type { StopReason } from '../client/model-client.ts';
import type { Answer, AnswerReader, ModelFormat } from './model-format.ts';
import { asObject, listAt, numberAt, objectAt, parseJson, textAt } from '../read-json.ts';
import { RESPONSES_FORMAT, responsesBody } from '../responses-request.ts';
import type { SseEvent } from './sse.ts';
import { areCalls, readCalls, type WrittenCall } from '../tool-arguments.ts';
import { type ModelUsage, openAiUsage, UNKNOWN_USAGE } from '../usage/usage.ts';

export const responsesFormat: ModelFormat = {
  name: RESPONSES_FORMAT,
  provider: 'openai',
  path: '/responses',
  headers: {},
  authorise: (key) => ({ authorization: `Bearer ${key}` }),
  body: responsesBody,
  reader: () => new ResponsesReader(),
};

class ResponsesReader implements AnswerReader {
  isOver = false;
  private readonly items: JsonObject[] = [];
  /** The places in the output of which text came piece by piece. */
  private readonly streamed = new Set<number | null>();
  /** The text as it came piece by piece. */
  private grown = '';
  private last: JsonObject | null = null;
  private isCutOff = false;

  get isComplete(): boolean {
    return this.last !== null;
  }

  get usage(): ModelUsage {
    const used = objectAt(this.last, 'usage');
    return used === null ? UNKNOWN_USAGE : openAiUsage(used, textAt(this.last, 'service_tier'));
  }

  take({ event, data }: SseEvent): string | Failure {
    if (data.trim() === '[DONE]') return '';
    const said = asObject(parseJson(data));
    if (said === null) return malformed(`an event is no JSON object: ${data}`);
    switch (textAt(said, 'type') ?? event) {
      case 'response.output_text.delta':
        this.streamed.add(numberAt(said, 'output_index'));
        return this.grow(textAt(said, 'delta') ?? '');
      case 'response.output_item.done':
        return this.add(objectAt(said, 'item'), numberAt(said, 'output_index'));
      case 'response.incomplete':
        this.isCutOff = true;
        return this.end(objectAt(said, 'response'));
      case 'response.completed':
        return this.end(objectAt(said, 'response'));
      case 'response.failed':
        this.last = objectAt(said, 'response');
        return failed(this.last);
      case 'error':
        return eventFailure(complaintOfEvent(said), null);
      default:
        return '';
    }
  }

  takeWhole(body: JsonObject): string | Failure {
    if (body.status === 'failed') return failed(body);
    if (!Array.isArray(body.output)) {
      const complaint = complaintIn(body);
      return complaint === null ? malformed('the answer has no output') : eventFailure(complaint, null);
    }
    return this.end(body);
  }

  answer(): Answer | Failure {
    const items = this.said();
    const tool_calls = readCalls(items.filter(({ type }) => type === 'function_call').map(callOf));
    if (!areCalls(tool_calls)) return tool_calls;
    const refusal = items.map((item) => partsOf(item, 'refusal')).join('');
    return {
      text: items.map((item) => partsOf(item, 'output_text')).join(''),
      tool_calls,
      stop: refusal === '' ? this.stopOf(tool_calls.length > 0) : 'refused',
      refusal: refusal === '' ? null : refusal,
      model: textAt(this.last, 'model'),
      content: items.flatMap(repeatable),
    };
  }

  /** Some servers leave the list out of their last event, and some never say an item as a whole. */
  private said(): readonly JsonObject[] {
    const output = listAt(this.last, 'output')
      .map(asObject)
      .filter((item) => item !== null);
    const items = output.length > 0 ? output : this.items;
    if (this.grown === '' || items.some(({ type }) => type === 'message')) return items;
    const content = [{ type: 'output_text', text: this.grown }];
    return [...items, { type: 'message', role: 'assistant', content }];
  }

  private grow(more: string): string {
    this.grown += more;
    return more;
  }

  /** An item is whole. Its text is handed on here if it never came piece by piece. */
  private add(item: JsonObject | null, index: number | null): string {
    if (item === null) return '';
    this.items.push(item);
    return this.streamed.has(index) ? '' : partsOf(item, 'output_text');
  }

  private end(response: JsonObject | null): string {
    this.last = response ?? {};
    this.isOver = true;
    const isFirstHeard = this.items.length === 0 && this.streamed.size === 0;
    if (!isFirstHeard) return '';
    return listAt(this.last, 'output')
      .map((item) => partsOf(asObject(item), 'output_text'))
      .join('');
  }

  private stopOf(hasCalls: boolean): StopReason {
    if (this.isCutOff || this.last?.status === 'incomplete') {
      const reason = textAt(objectAt(this.last, 'incomplete_details'), 'reason');
      return reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'refused' : 'other';
    }
    return hasCalls ? 'tool_calls' : 'end';
  }
}

function failed(response: JsonObject | null): Failure {
  const complaint = response === null ? null : complaintIn(response);
  return eventFailure(complaint ?? { message: 'no reason given', words: [], param: null }, null);
}

function partsOf(item: JsonObject | null, type: 'output_text' | 'refusal'): string {
  const key = type === 'refusal' ? 'refusal' : 'text';
  const parts = item?.type === 'message' ? listAt(item, 'content').map(asObject) : [];
  return parts.map((part) => (part?.type === type ? (textAt(part, key) ?? '') : '')).join('');
}

function callOf(item: JsonObject): WrittenCall {
  return { id: textAt(item, 'call_id') ?? '', name: textAt(item, 'name') ?? '', json: textAt(item, 'arguments') ?? '' };
}

/** What was not stored has no id there, and a thought that is not in the item itself cannot be repeated. */
function repeatable(item: JsonObject): readonly Json[] {
  if (item.type === 'reasoning' && textAt(item, 'encrypted_content') === null) return [];
  const { id: _id, status: _status, ...rest } = item;
  return [rest];
}
