/** An API that models are served by: how a request is written, and how an answer is read. No part of it waits for anything. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import type { LlmProvider } from './endpoint.ts';
import type { Failure } from '../client/failure.ts';
import type { ModelReply, ModelRequest } from '../client/model-client.ts';
import type { SseEvent } from './sse.ts';
import type { ModelUsage } from '../usage/usage.ts';

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
