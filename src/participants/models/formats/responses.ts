/** Writes requests and reads answers of OpenAI's Responses API, stateless: each request has the whole thread. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { asObject, countAt, listAt, objectAt, parseJson, textAt } from '../../lib/read-json.ts';
import { eventFailure, type Failure, malformedFailure } from '../client/failure.ts';
import type {
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  StopReason,
  ToolChoice,
} from '../client/model-client.ts';
import { type ModelUsage, openAiUsage, UNKNOWN_USAGE } from '../usage/usage.ts';
import { findApiError, parseErrorEvent } from './api-error.ts';
import {
  type Answer,
  type AnswerReader,
  type BodySettings,
  isFailure,
  isStrict,
  type ModelFormat,
  type RawToolCall,
  readCalls,
} from './model-format.ts';
import type { SseEvent } from './sse.ts';

const RESPONSES_FORMAT = 'responses';

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
  /** Output indexes whose text was streamed. */
  private readonly streamed = new Set<number | null>();
  /** All streamed text. */
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
    if (said === null) return malformedFailure(`an event is not a JSON object: ${data}`);
    switch (textAt(said, 'type') ?? event) {
      case 'response.output_text.delta':
        this.streamed.add(countAt(said, 'output_index'));
        return this.grow(textAt(said, 'delta') ?? '');
      case 'response.output_item.done':
        return this.add(objectAt(said, 'item'), countAt(said, 'output_index'));
      case 'response.incomplete':
        this.isCutOff = true;
        return this.end(objectAt(said, 'response'));
      case 'response.completed':
        return this.end(objectAt(said, 'response'));
      case 'response.failed':
        this.last = objectAt(said, 'response');
        return failed(this.last);
      case 'error':
        return eventFailure(parseErrorEvent(said), null);
      default:
        return '';
    }
  }

  takeWhole(body: JsonObject): string | Failure {
    if (body.status === 'failed') return failed(body);
    if (!Array.isArray(body.output)) {
      const complaint = findApiError(body);
      return complaint === null ? malformedFailure('the answer has no output') : eventFailure(complaint, null);
    }
    return this.end(body);
  }

  answer(): Answer | Failure {
    const items = this.said();
    const tool_calls = readCalls(items.filter(({ type }) => type === 'function_call').map(callOf));
    if (isFailure(tool_calls)) return tool_calls;
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

  /** The items of the answer. Some servers omit the list from the last event; some never send a complete item. */
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

  /** Adds a complete item; returns its text if that was not streamed. */
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
      const reason = textAt(this.last, 'incomplete_details', 'reason');
      return reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'refused' : 'other';
    }
    return hasCalls ? 'tool_calls' : 'end';
  }
}

function failed(response: JsonObject | null): Failure {
  const complaint = response === null ? null : findApiError(response);
  return eventFailure(complaint ?? { message: 'no reason given', words: [], param: null }, null);
}

function partsOf(item: JsonObject | null, type: 'output_text' | 'refusal'): string {
  const key = type === 'refusal' ? 'refusal' : 'text';
  const parts = item?.type === 'message' ? listAt(item, 'content').map(asObject) : [];
  return parts.map((part) => (part?.type === type ? (textAt(part, key) ?? '') : '')).join('');
}

function callOf(item: JsonObject): RawToolCall {
  return { id: textAt(item, 'call_id') ?? '', name: textAt(item, 'name') ?? '', json: textAt(item, 'arguments') ?? '' };
}

/** Items are not stored, so their ids are invalid in requests; reasoning is repeatable only in encrypted form. */
function repeatable(item: JsonObject): readonly Json[] {
  if (item.type === 'reasoning' && textAt(item, 'encrypted_content') === null) return [];
  const { id: _id, status: _status, ...rest } = item;
  return [rest];
}

function responsesBody(request: ModelRequest, settings: BodySettings): JsonObject {
  const { system = '', messages, tools = [], toolChoice, schema } = request;
  const temperature = request.temperature ?? settings.temperature;
  const maxTokens = request.maxTokens ?? settings.maxTokens;
  return {
    model: settings.model,
    ...(system === '' ? {} : { instructions: system }),
    input: messages.flatMap(itemsOf),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(schema === undefined
      ? {}
      : { text: { format: { type: 'json_schema', ...schema, strict: isStrict(schema.schema) } } }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    store: false,
    stream: settings.stream,
  };
}

function itemsOf(message: ModelMessage): readonly Json[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: message.content }];
    case 'assistant': {
      const { raw, content, tool_calls = [] } = message;
      if (raw?.format === RESPONSES_FORMAT && Array.isArray(raw.content)) return raw.content;
      return [...(content === '' ? [] : [{ role: 'assistant', content }]), ...tool_calls.map(writtenCall)];
    }
  }
}

function writtenCall({ id, name, arguments: given }: ModelToolCall): JsonObject {
  return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(given) };
}

/** This API defaults to `strict`: turn it off where the schema does not qualify. */
function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { type: 'function', name, description, parameters, strict: isStrict(parameters) };
}

function choiceOf(choice: ToolChoice): string | JsonObject {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice;
}
