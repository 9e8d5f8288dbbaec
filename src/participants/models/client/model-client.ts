/** A model that can be asked, whoever serves it: what goes in and what comes out. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import type { OwnSignal } from '../../../core/ports/platform.ts';
import type { AgentFn, ProgressEvent, ToolCall } from '../../agent/agent-fn.ts';
import type { ModelUsage } from '../usage/usage.ts';

export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  /** One answer, after as many tries as the retry table allows. Rejects with AgentError. */
  complete(request: ModelRequest): Promise<ModelReply>;
  /** What a request may come to, before it is sent. */
  estimate?(request: ModelRequest): CallEstimate;
}

/** A guess of the prompt, and a bound for the answer. */
export interface CallEstimate {
  readonly prompt_tokens: number;
  /** What the answer may have at most; null = nobody has said. */
  readonly max_output_tokens: number | null;
  /** With an answer of so many tokens; null = the model has no known price. */
  usd(outputTokens: number): number | null;
}

export interface ModelRequest {
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** The answer is JSON of this schema. */
  readonly schema?: AnswerSchema | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly signal?: OwnSignal | undefined;
  /** What is wrong with an answer, for who asks; null = nothing. Such an answer counts as malformed, and is asked for once more. */
  readonly check?: ((answer: Pick<ModelReply, 'text' | 'stop'>) => string | null) | undefined;
  /** Hears the text as it comes. What was handed on is never taken back: from then on nothing is tried again. */
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
  /** Of a `ModelReply`: said to the same API again word for word, with the thoughts it wants to see again. */
  readonly raw?: RawAnswer | undefined;
}

export interface RawAnswer {
  /** The API it is of; to another it says nothing. */
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

/** `required` = some tool, {name} = this one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export interface AnswerSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** end: it said all. length: cut off by a bound. refused: it, or a filter, will not say it. */
export type StopReason = 'end' | 'tool_calls' | 'length' | 'refused' | 'other';

export interface ModelReply {
  readonly text: string;
  readonly tool_calls: readonly ModelToolCall[];
  readonly stop: StopReason;
  /** Why it refused, in its own words. */
  readonly refusal: string | null;
  /** Of all tries, as far as they told. */
  readonly usage: ModelUsage;
  /** null = unknown, which is not 0. */
  readonly cost_usd: number | null;
  readonly provider: string;
  /** As the service names it. */
  readonly model: string;
  readonly request_id: string | null;
  readonly latency_ms: number;
  readonly retries: number;
  readonly raw: RawAnswer;
}

/** An answer as the next request repeats it, before the results of its tool calls. */
export function assistantMessage({ text, tool_calls, raw }: ModelReply): AssistantMessage {
  return { role: 'assistant', content: text, tool_calls, raw };
}

const clients = new WeakMap<AgentFn, ModelClient>();

/** Notes it, and gives the agent back. */
export function rememberModel(agent: AgentFn, client: ModelClient): AgentFn {
  clients.set(agent, client);
  return agent;
}

/** undefined = none that is known: a program, a person, or an agent around another one. */
export function modelOf(agent: AgentFn): ModelClient | undefined {
  return clients.get(agent);
}
