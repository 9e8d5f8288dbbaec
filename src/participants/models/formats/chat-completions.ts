/** Writes requests and reads answers of chat completions, from OpenAI and compatible servers with their deviations. */

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
import { findApiError } from './api-error.ts';
import {
  type Answer,
  type AnswerReader,
  type BodySettings,
  isFailure,
  isStrict,
  type ModelFormat,
  readCalls,
} from './model-format.ts';
import type { SseEvent } from './sse.ts';

const CHAT_FORMAT = 'chat-completions';

export const chatFormat: ModelFormat = {
  name: CHAT_FORMAT,
  provider: 'openai',
  path: '/chat/completions',
  headers: {},
  authorise: (key) => ({ authorization: `Bearer ${key}` }),
  body: chatBody,
  reader: () => new ChatReader(),
};

interface GrowingCall {
  readonly index: number;
  id: string;
  name: string;
  json: string;
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'refused'],
]);

class ChatReader implements AnswerReader {
  isOver = false;
  private text = '';
  private refusal = '';
  private readonly calls: GrowingCall[] = [];
  private used: JsonObject | null = null;
  private model: string | null = null;
  private serviceTier: string | null = null;
  private finish: string | null = null;
  private hasChoice = false;

  get isComplete(): boolean {
    return this.finish !== null;
  }

  get usage(): ModelUsage {
    return this.used === null ? UNKNOWN_USAGE : openAiUsage(this.used, this.serviceTier);
  }

  take({ data }: SseEvent): string | Failure {
    if (data.trim() === '[DONE]') {
      this.isOver = true;
      return '';
    }
    const chunk = asObject(parseJson(data));
    return chunk === null ? malformedFailure(`a chunk is not a JSON object: ${data}`) : this.hear(chunk, 'delta');
  }

  takeWhole(body: JsonObject): string | Failure {
    this.isOver = true;
    const heard = this.hear(body, 'message');
    if (this.hasChoice && this.finish === null) this.finish = 'stop';
    return heard;
  }

  answer(): Answer | Failure {
    if (!this.hasChoice) return malformedFailure('the answer has no choices');
    const tool_calls = readCalls(this.calls.map((call) => ({ ...call, id: call.id || `call_${call.index}` })));
    if (isFailure(tool_calls)) return tool_calls;
    const { text, model } = this;
    const refusal = this.refusal === '' ? null : this.refusal;
    return { text, tool_calls, stop: this.stopOf(tool_calls), refusal, model, content: spoken(text, tool_calls) };
  }

  /** Reads a chunk or the whole answer. Usage may arrive with missing, empty or null choices. */
  private hear(body: JsonObject, part: 'delta' | 'message'): string | Failure {
    const complaint = body.error === undefined || body.error === null ? null : findApiError(body);
    if (complaint !== null) return eventFailure(complaint, null);
    this.used = objectAt(body, 'usage') ?? this.used;
    this.model = textAt(body, 'model') ?? this.model;
    this.serviceTier = textAt(body, 'service_tier') ?? this.serviceTier;
    const choice = asObject(listAt(body, 'choices')[0]);
    if (choice === null) return '';
    this.hasChoice = true;
    this.finish = textAt(choice, 'finish_reason') ?? this.finish;
    return this.say(objectAt(choice, part));
  }

  private say(message: JsonObject | null): string {
    const more = textIn(message?.content);
    this.text += more;
    this.refusal += textAt(message, 'refusal') ?? '';
    for (const call of listAt(message, 'tool_calls')) this.call(asObject(call));
    return more;
  }

  private call(part: JsonObject | null): void {
    const id = textAt(part, 'id') ?? '';
    const written = objectAt(part, 'function');
    const name = textAt(written, 'name') ?? '';
    const call = this.callOf(countAt(part, 'index'), id, name);
    const given = written?.arguments;
    if (call.id === '') call.id = id;
    // Some servers repeat the name in each part.
    if (name !== call.name) call.name += name;
    call.json += typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given);
  }

  /**
   * Finds the call a part belongs to: by index. Servers without distinct indexes begin a call with its id; where every part
   * has an id, only the first has a name.
   */
  private callOf(given: number | null, id: string, name: string): GrowingCall {
    const index = given ?? (id === '' ? Math.max(0, this.calls.length - 1) : this.calls.length);
    const known = this.calls.findLast((other) => other.index === index);
    const isNext = known !== undefined && known.id !== '' && id !== '' && id !== known.id && name !== '';
    if (known !== undefined && !isNext) return known;
    const call = { index, id: '', name: '', json: '' };
    this.calls.push(call);
    return call;
  }

  private stopOf(calls: readonly ModelToolCall[]): StopReason {
    if (this.refusal !== '') return 'refused';
    const stop = STOPS.get(this.finish ?? '') ?? 'other';
    // Some servers say "stop" although the model calls a tool.
    return stop === 'end' && calls.length > 0 ? 'tool_calls' : stop;
  }
}

/** Reads a string, or the text parts of a list; other parts are reasoning. */
function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.map(asObject) : [];
  return parts.map((part) => (part?.type === 'text' ? (textAt(part, 'text') ?? '') : '')).join('');
}

function spoken(text: string, calls: readonly ModelToolCall[]): JsonObject {
  if (calls.length === 0) return { role: 'assistant', content: text };
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls.map(writtenCall) };
}

function chatBody(request: ModelRequest, settings: BodySettings): JsonObject {
  const { system = '', messages, tools = [], toolChoice, schema } = request;
  const temperature = request.temperature ?? settings.temperature;
  const maxTokens = request.maxTokens ?? settings.maxTokens;
  return {
    model: settings.model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.map(messageOf)],
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(schema === undefined ? {} : { response_format: { type: 'json_schema', json_schema: strictly(schema) } }),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(settings.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function messageOf(message: ModelMessage): JsonObject {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: message.content };
    case 'assistant': {
      const { raw, content, tool_calls = [] } = message;
      const own = raw?.format === CHAT_FORMAT ? asObject(raw.content) : null;
      if (own !== null) return own;
      if (tool_calls.length === 0) return { role: 'assistant', content };
      return { role: 'assistant', content: content === '' ? null : content, tool_calls: tool_calls.map(writtenCall) };
    }
  }
}

function writtenCall({ id, name, arguments: given }: ModelToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { type: 'function', function: { name, description, parameters } };
}

function choiceOf(choice: ToolChoice): string | JsonObject {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

function strictly({ name, schema }: { readonly name: string; readonly schema: JsonObject }): JsonObject {
  return { name, schema, ...(isStrict(schema) ? { strict: true } : {}) };
}
