/** Defines a model client: requests and replies, independent of the service. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import type { OwnSignal } from '../../../core/ports/platform.ts';
import type { AgentFn, ProgressEvent, ToolCall } from '../../agent/agent-fn.ts';
import type { ModelUsage } from '../usage/usage.ts';

export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  /** Returns one answer, with retries by the retry table. Rejects with AgentError. */
  complete(request: ModelRequest): Promise<ModelReply>;
  /** Estimates a request before it is sent. */
  estimate?(request: ModelRequest): CallEstimate;
}

/** An estimate of the prompt's tokens and a bound for the answer's. */
export interface CallEstimate {
  readonly prompt_tokens: number;
  /** Maximum tokens of the answer; null if no bound is set. */
  readonly max_output_tokens: number | null;
  /** Cost with an answer of that size; null if the price is unknown. */
  usd(outputTokens: number): number | null;
}

export interface ModelRequest {
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** Requires an answer that is JSON of this schema. */
  readonly schema?: AnswerSchema | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly signal?: OwnSignal | undefined;
  /** Returns the problem with an answer, or null. A rejected answer counts as malformed and is requested once more. */
  readonly check?: ((answer: Pick<ModelReply, 'text' | 'stop'>) => string | null) | undefined;
  /** Receives the text as it streams. After the first delta the call is not retried. */
  readonly onDelta?: ((text: string) => void) | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | AssistantMessage
  | {
      readonly role: 'tool';
      readonly tool_call_id: string;
      readonly content: string;
      readonly is_error?: boolean | undefined;
    };

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly tool_calls?: readonly ModelToolCall[] | undefined;
  /** From a `ModelReply`: sent back verbatim to the same API, with the reasoning that the API requires. */
  readonly raw?: RawAnswer | undefined;
}

interface RawAnswer {
  /** The API it belongs to; other APIs ignore it. */
  readonly format: string;
  readonly content: Json;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export interface ModelToolCall extends ToolCall {
  readonly id: string;
}

/** `required`: the model must call some tool. `{name}`: it must call this tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

interface AnswerSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** end: complete. length: truncated by a limit. refused: by the model or a filter. */
export type StopReason = 'end' | 'tool_calls' | 'length' | 'refused' | 'other';

export interface ModelReply {
  readonly text: string;
  readonly tool_calls: readonly ModelToolCall[];
  readonly stop: StopReason;
  /** The model's reason for refusing; null if it gave none. */
  readonly refusal: string | null;
  /** Usage of all attempts that reported it. */
  readonly usage: ModelUsage;
  /** null if unknown, which is not 0. */
  readonly cost_usd: number | null;
  readonly provider: string;
  /** Name of the model, as the service reports it. */
  readonly model: string;
  readonly request_id: string | null;
  readonly latency_ms: number;
  readonly retries: number;
  readonly raw: RawAnswer;
}

/** The reply as the next request must repeat it, before the results of its tool calls. */
export function assistantMessage({ text, tool_calls, raw }: ModelReply): AssistantMessage {
  return { role: 'assistant', content: text, tool_calls, raw };
}

const clients = new WeakMap<AgentFn, ModelClient>();

/** Registers the client behind an agent and returns the agent. */
export function rememberModel(agent: AgentFn, client: ModelClient): AgentFn {
  clients.set(agent, client);
  return agent;
}

/** undefined if unknown: a program, a person, or an agent that wraps another. */
export function modelOf(agent: AgentFn): ModelClient | undefined {
  return clients.get(agent);
}
