/** Writes requests and reads answers of Anthropic's Messages API. Blocks are identified by type, in any order. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { asObject, countAt, listAt, objectAt, parseJson, textAt } from '../../lib/read-json.ts';
import { eventFailure, type Failure, malformedFailure } from '../client/failure.ts';
import type { ModelMessage, ModelRequest, ModelTool, StopReason, ToolChoice } from '../client/model-client.ts';
import { anthropicUsage, type ModelUsage } from '../usage/usage.ts';
import { findApiError, parseErrorEvent } from './api-error.ts';
import {
  type Answer,
  type AnswerReader,
  type BodySettings,
  isFailure,
  type ModelFormat,
  readCalls,
} from './model-format.ts';
import type { SseEvent } from './sse.ts';

const ANTHROPIC_FORMAT = 'anthropic-messages';

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
  /** Text, thinking, or the JSON of a tool's input, as it streams. */
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
    if (said === null) return malformedFailure(`an event is not a JSON object: ${data}`);
    switch (textAt(said, 'type') ?? event) {
      case 'message_start':
        return this.begin(objectAt(said, 'message'));
      case 'content_block_start':
        return this.open(objectAt(said, 'content_block'), countAt(said, 'index') ?? this.blocks.length);
      case 'content_block_delta':
        return this.grow(said);
      case 'message_delta':
        this.stop = textAt(said, 'delta', 'stop_reason') ?? this.stop;
        this.spend(objectAt(said, 'usage'));
        return '';
      case 'message_stop':
        this.isOver = true;
        return '';
      case 'error':
        return eventFailure(parseErrorEvent(said), textAt(said, 'request_id'));
      default:
        return '';
    }
  }

  takeWhole(body: JsonObject): string | Failure {
    if (body.type === 'error') return eventFailure(parseErrorEvent(body), textAt(body, 'request_id'));
    if (!Array.isArray(body.content)) {
      const complaint = findApiError(body);
      return complaint === null ? malformedFailure('the answer has no content') : eventFailure(complaint, null);
    }
    this.begin(body);
    const texts = listAt(body, 'content').map((block, index) => this.open(asObject(block), index));
    this.stop = textAt(body, 'stop_reason') ?? 'end_turn';
    this.isOver = true;
    return texts.join('');
  }

  answer(): Answer | Failure {
    const tool_calls = readCalls(this.of('tool_use').map(callOf));
    if (isFailure(tool_calls)) return tool_calls;
    const text = this.of('text').reduce((all, { grown }) => all + grown, '');
    const stop = STOPS.get(this.stop ?? '') ?? 'other';
    const refusal = stop === 'refused' ? text : null;
    return { text, tool_calls, stop, refusal, model: this.model, content: this.blocks.map(wholeOf) };
  }

  private begin(message: JsonObject | null): string {
    this.model = textAt(message, 'model');
    this.spend(objectAt(message, 'usage'));
    return '';
  }

  /** Counts are cumulative; unchanged ones may be missing or null. */
  private spend(usage: JsonObject | null): void {
    const told = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
    this.used = { ...this.used, ...Object.fromEntries(told) };
  }

  /** Starts a block, or adds a whole one. */
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
    const index = countAt(said, 'index');
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

/** Default, because the API requires a number. */
const MAX_TOKENS = 8_192;

interface Entry {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Json[];
}

function anthropicBody(request: ModelRequest, settings: BodySettings): JsonObject {
  const { system = '', messages, tools = [], toolChoice, schema } = request;
  const temperature = request.temperature ?? settings.temperature;
  return {
    model: settings.model,
    max_tokens: request.maxTokens ?? settings.maxTokens ?? MAX_TOKENS,
    ...(system === '' ? {} : { system }),
    messages: merged(messages.map(entryOf)).map(({ role, content }) => ({ role, content })),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(schema === undefined ? {} : { output_config: { format: { type: 'json_schema', schema: schema.schema } } }),
    ...(temperature === undefined ? {} : { temperature }),
    stream: settings.stream,
  };
}

function entryOf(message: ModelMessage): Entry {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: textBlocks(message.content) };
    case 'tool': {
      const { tool_call_id, content, is_error = false } = message;
      const failed = is_error ? { is_error } : {};
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool_call_id, content, ...failed }] };
    }
    case 'assistant': {
      const { raw, content, tool_calls = [] } = message;
      if (raw?.format === ANTHROPIC_FORMAT && Array.isArray(raw.content))
        return { role: 'assistant', content: raw.content };
      const calls = tool_calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
      return { role: 'assistant', content: [...textBlocks(content), ...calls] };
    }
  }
}

/** The API rejects empty text blocks. */
function textBlocks(text: string): readonly Json[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** Merges consecutive messages of one role, such as tool results, and drops empty ones. */
function merged(entries: readonly Entry[]): readonly Entry[] {
  const result: Entry[] = [];
  for (const entry of entries.filter(({ content }) => content.length > 0)) {
    const last = result.at(-1);
    if (last?.role === entry.role)
      result[result.length - 1] = { ...last, content: [...last.content, ...entry.content] };
    else result.push(entry);
  }
  return result;
}

function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { name, description, input_schema: parameters };
}

function choiceOf(choice: ToolChoice): JsonObject {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}
