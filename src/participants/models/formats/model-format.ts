/** An API that models are served by: how a request is written and an answer is read. Pure, with what all formats share. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { asObject, listAt, parseJson } from '../../lib/read-json.ts';
import { type Failure, malformedFailure } from '../client/failure.ts';
import type { ModelReply, ModelRequest, ModelToolCall } from '../client/model-client.ts';
import type { LlmProvider } from '../client/provider.ts';
import type { ModelUsage } from '../usage/usage.ts';
import type { SseEvent } from './sse.ts';

export interface ModelFormat {
  /** What raw answers are marked with. */
  readonly name: string;
  /** The name of the service, unless one is given. */
  readonly provider: string;
  /** The headers that carry the key. */
  authorise(key: string): Readonly<Record<string, string>>;
  /** Those that every request has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  body(request: ModelRequest, settings: BodySettings): JsonObject;
  /** For one answer. */
  reader(): AnswerReader;
}

export type BodySettings = Pick<LlmProvider, 'model' | 'maxTokens' | 'temperature'> & { readonly stream: boolean };

/** Takes in an answer as it comes. */
export interface AnswerReader {
  /** What this event adds to the text, or why the answer failed. Events it does not know add nothing. */
  take(event: SseEvent): string | Failure;
  /** The same for an answer that comes in one piece. */
  takeWhole(body: JsonObject): string | Failure;
  /** Nothing more will come. */
  readonly isOver: boolean;
  /** The model has said all, even if the last word of the service is missing. */
  readonly isComplete: boolean;
  /** As far as it is known. */
  readonly usage: ModelUsage;
  /** What was said in the end, or what is wrong with it. */
  answer(): Answer | Failure;
}

export interface Answer extends Pick<ModelReply, 'text' | 'tool_calls' | 'stop' | 'refusal'> {
  /** As the service names it. */
  readonly model: string | null;
  readonly content: Json;
}

export function isFailure(value: string | Answer | Failure): value is Failure {
  return typeof value === 'object' && 'class' in value;
}

export function isStrict(schema: JsonObject): boolean {
  if (schema.type === 'object' && !isClosed(schema)) return false;
  return Object.entries(schema).every(([key, value]) => key === 'enum' || key === 'const' || areStrict(value));
}

function areStrict(value: Json): boolean {
  if (Array.isArray(value)) return value.every(areStrict);
  const inner = asObject(value);
  return inner === null || isStrict(inner);
}

function isClosed(schema: JsonObject): boolean {
  const needed = listAt(schema, 'required');
  const names = Object.keys(asObject(schema.properties) ?? {});
  return schema.additionalProperties === false && names.every((name) => needed.includes(name));
}

export interface RawToolCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

/** The calls, or what is wrong with the first that cannot be read. */
export function readCalls(written: readonly RawToolCall[]): readonly ModelToolCall[] | Failure {
  const calls: ModelToolCall[] = [];
  for (const { id, name, json } of written) {
    if (id === '' || name === '') return malformedFailure('a tool call came without its id or its name');
    // No arguments at all is how some services write that there are none.
    const given = json.trim() === '' ? {} : parseJson(json);
    if (given === undefined)
      return malformedFailure(`the arguments of the tool call ${name} are no JSON that can be read: ${json}`);
    calls.push({ id, name, arguments: given });
  }
  return calls;
}

export function isToolCallList(read: readonly ModelToolCall[] | Failure): read is readonly ModelToolCall[] {
  return Array.isArray(read);
}
