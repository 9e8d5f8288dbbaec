/** Anthropic's Messages API. Blocks are told apart by their type: the first one need not be text. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { ANTHROPIC_FORMAT, anthropicBody } from '../anthropic-request.ts';
import { complaintIn, complaintOfEvent } from './api-error.ts';
import { eventFailure, type Failure, malformed } from '../client/failure.ts';
import type { StopReason } from '../client/model-client.ts';
import type { Answer, AnswerReader, ModelFormat } from './model-format.ts';
import { asObject, listAt, numberAt, objectAt, parseJson, textAt } from '../read-json.ts';
import type { SseEvent } from './sse.ts';
import { areCalls, readCalls } from '../tool-arguments.ts';
import { anthropicUsage, type ModelUsage } from '../usage/usage.ts';

export const anthropicFormat: ModelFormat = {
  name: ANTHROPIC_FORMAT,
  provider: 'anthropic',
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  authorise: (key) => ({ 'x-api-key': key }),
  body: anthropicBody,
  reader: () => new AnthropicReader(),
};

interface Block {
  readonly index: number;
  readonly start: JsonObject;
  /** The text, the thought, or the JSON of a tool's input, as it grows. */
  grown: string;
  signature: string | null;
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refused'],
]);

class AnthropicReader implements AnswerReader {
  isOver = false;
  private readonly blocks: Block[] = [];
  private used: JsonObject = {};
  private model: string | null = null;
  private stop: string | null = null;

  get isComplete(): boolean {
    return this.stop !== null;
  }

  get usage(): ModelUsage {
    return anthropicUsage(this.used);
  }

  take({ event, data }: SseEvent): string | Failure {
    const said = asObject(parseJson(data));
    if (said === null) return malformed(`an event is no JSON object: ${data}`);
    switch (textAt(said, 'type') ?? event) {
      case 'message_start':
        return this.begin(objectAt(said, 'message'));
      case 'content_block_start':
        return this.open(objectAt(said, 'content_block'), numberAt(said, 'index') ?? this.blocks.length);
      case 'content_block_delta':
        return this.grow(said);
      case 'message_delta':
        this.stop = textAt(objectAt(said, 'delta'), 'stop_reason') ?? this.stop;
        this.spend(objectAt(said, 'usage'));
        return '';
      case 'message_stop':
        this.isOver = true;
        return '';
      case 'error':
        return eventFailure(complaintOfEvent(said), textAt(said, 'request_id'));
      default:
        return '';
    }
  }

  takeWhole(body: JsonObject): string | Failure {
    if (body.type === 'error') return eventFailure(complaintOfEvent(body), textAt(body, 'request_id'));
    if (!Array.isArray(body.content)) {
      const complaint = complaintIn(body);
      return complaint === null ? malformed('the answer has no content') : eventFailure(complaint, null);
    }
    this.begin(body);
    const texts = listAt(body, 'content').map((block, index) => this.open(asObject(block), index));
    this.stop = textAt(body, 'stop_reason') ?? 'end_turn';
    this.isOver = true;
    return texts.join('');
  }

  answer(): Answer | Failure {
    const tool_calls = readCalls(this.of('tool_use').map(callOf));
    if (!areCalls(tool_calls)) return tool_calls;
    const text = this.of('text')
      .map(({ grown }) => grown)
      .join('');
    const stop = STOPS.get(this.stop ?? '') ?? 'other';
    const { model } = this;
    return {
      text,
      tool_calls,
      stop,
      refusal: stop === 'refused' ? text : null,
      model,
      content: this.blocks.map(wholeOf),
    };
  }

  private begin(message: JsonObject | null): string {
    this.model = textAt(message, 'model');
    this.spend(objectAt(message, 'usage'));
    return '';
  }

  /** Counts are cumulative, and those that do not change may be missing or null. */
  private spend(usage: JsonObject | null): void {
    const told = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
    this.used = { ...this.used, ...Object.fromEntries(told) };
  }

  /** A block begins, or comes as a whole. */
  private open(start: JsonObject | null, index: number): string {
    const block: Block = { index, start: start ?? {}, grown: '', signature: textAt(start, 'signature') };
    this.blocks.push(block);
    const type = textAt(start, 'type');
    const input = objectAt(start, 'input');
    if (type === 'tool_use' && input !== null && Object.keys(input).length > 0) block.grown = JSON.stringify(input);
    if (type === 'thinking') block.grown = textAt(start, 'thinking') ?? '';
    if (type !== 'text') return '';
    block.grown = textAt(start, 'text') ?? '';
    return block.grown;
  }

  private grow(said: JsonObject): string {
    const index = numberAt(said, 'index');
    const block = index === null ? this.blocks.at(-1) : this.blocks.find((other) => other.index === index);
    const delta = objectAt(said, 'delta');
    if (block === undefined) return '';
    block.signature = textAt(delta, 'signature') ?? block.signature;
    const more = textAt(delta, 'text') ?? textAt(delta, 'partial_json') ?? textAt(delta, 'thinking') ?? '';
    block.grown += more;
    return block.start.type === 'text' ? more : '';
  }

  private of(type: string): readonly Block[] {
    return this.blocks.filter(({ start }) => start.type === type);
  }
}

function callOf({ start, grown }: Block): { readonly id: string; readonly name: string; readonly json: string } {
  return { id: textAt(start, 'id') ?? '', name: textAt(start, 'name') ?? '', json: grown };
}

/** A block as the next request must repeat it. */
function wholeOf({ start, grown, signature }: Block): Json {
  switch (start.type) {
    case 'text':
      return { type: 'text', text: grown };
    case 'thinking':
      return { ...start, thinking: grown, ...(signature === null ? {} : { signature }) };
    case 'tool_use':
      return { ...start, input: grown.trim() === '' ? {} : (parseJson(grown) ?? {}) };
    default:
      return start;
  }
}
