/** Defines a model API: how to write its requests and read its answers; with helpers for all formats. Pure. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { asObject, listAt, parseJson } from '../../lib/read-json.ts';
import { type Failure, malformedFailure } from '../client/failure.ts';
import type { ModelReply, ModelRequest, ModelToolCall } from '../client/model-client.ts';
import type { LlmProvider } from '../client/provider.ts';
import type { ModelUsage } from '../usage/usage.ts';
import type { SseEvent } from './sse.ts';

export interface ModelFormat {
  /** Marks raw answers of this API. */
  readonly name: string;
  /** Default name of the service. */
  readonly provider: string;
  /** Headers that carry the key. */
  authorise(key: string): Readonly<Record<string, string>>;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  body(request: ModelRequest, settings: BodySettings): JsonObject;
  reader(): AnswerReader;
}

export type BodySettings = Pick<LlmProvider, 'model' | 'maxTokens' | 'temperature'> & { readonly stream: boolean };

/** Reads one answer. */
export interface AnswerReader {
  /** Returns the text an event adds, or the failure it reports. Unknown events add nothing. */
  take(event: SseEvent): string | Failure;
  /** Reads an answer that arrives in one piece. */
  takeWhole(body: JsonObject): string | Failure;
  /** True if no more events will arrive. */
  readonly isOver: boolean;
  /** True if the model has finished, even if the service's last event is missing. */
  readonly isComplete: boolean;
  readonly usage: ModelUsage;
  answer(): Answer | Failure;
}

export interface Answer extends Pick<ModelReply, 'text' | 'tool_calls' | 'stop' | 'refusal'> {
  /** Name of the model, as the service reports it; null if it reports none. */
  readonly model: string | null;
  readonly content: Json;
}

export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'class' in value;
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

/** The parsed calls, or the first problem. */
export function readCalls(written: readonly RawToolCall[]): readonly ModelToolCall[] | Failure {
  const calls: ModelToolCall[] = [];
  for (const { id, name, json } of written) {
    if (id === '' || name === '') return malformedFailure('a tool call came without id or name');
    // Some services send an empty string for no arguments.
    const args = json.trim() === '' ? {} : parseJson(json);
    if (args === undefined)
      return malformedFailure(`the arguments of the tool call ${name} are not readable JSON: ${json}`);
    calls.push({ id, name, arguments: args });
  }
  return calls;
}
