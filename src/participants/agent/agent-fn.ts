/** The agent function: receives a thread and answers it. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';

/** The session's opening frame. */
export interface StartFrame {
  readonly role: string;
  readonly content: string;
  readonly meta: JsonObject;
  readonly timestamp: string;
}

/** A session as one participant sees it, ready to become a prompt. */
export interface ThreadContext {
  readonly threadId: string;
  readonly start: StartFrame;
  readonly steps: readonly Step[];
}

/** One message of the thread. */
export type Step = StartFrame;

/** Disjoint token classes, except that output includes reasoning; null if not reported. */
export interface Usage {
  readonly input_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly output_tokens: number | null;
  readonly reasoning_tokens: number | null;
}

export interface ProgressEvent {
  readonly kind: 'started' | 'tool' | 'retry' | 'note';
  readonly text: string;
}

export interface TurnOptions {
  /** Aborted when the answer is no longer needed: stop what you started, then reject. */
  readonly signal: OwnSignal;
  /** Streams a part of the answer. */
  onDelta(text: string): void;
  onProgress(event: ProgressEvent): void;
  /** Identical for every attempt at one turn, across processes. */
  readonly idempotencyKey: string;
  /** True if an earlier run began this turn; how far it got is unknown. */
  readonly resumed: boolean;
  /** The `native_session_id` of this participant's last answer in the thread. */
  readonly nativeSessionId?: string | undefined;
  /** Spending limits, for agents that can respect them. */
  readonly budget?: TurnBudget | undefined;
  /** Hub actions available before the answer, for agents that can call tools. */
  readonly tools?: readonly AgentTool[] | undefined;
}

/** Amounts left under the tightest limit, updated at each read. */
export interface TurnBudget {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  /** Counts all calls of the turn and of other turns under the same limits. */
  readonly meter?: Meter | undefined;
}

export interface Meter {
  /** Reserves the cost of a call. Throws AgentError `budget_exceeded`, naming the limit. */
  hold(need: BudgetRequest): BudgetHold;
  /** Amounts left; null if no limit applies. */
  left(): { readonly usd: number | null; readonly tokens: number | null };
}

export interface BudgetRequest {
  /** The program or model, by the name users know. */
  readonly tool: string;
  readonly tokens: number;
  /** null if the price is unknown. */
  readonly usd: number | null;
  /** How the sum was calculated, for the error message. */
  readonly made?: string | undefined;
}

/** Settle it once, even if the call fails. */
export interface BudgetHold {
  settle(used: { readonly tokens: number; readonly usd: number | null }): void;
}

export interface AgentTool {
  readonly name: string;
  /** Tells a model when to call it and what it returns. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** A wrong call returns an error result; rejects only when `signal` is aborted. */
  call(args: Json, signal: OwnSignal): Promise<ToolResult>;
}

export interface ToolResult {
  /** Text for the model; marks text from other participants as theirs. */
  readonly text: string;
  readonly is_error?: boolean | undefined;
  /** Set if this tool call ends the turn: the final text, and the tool call that hands the turn on, if any. */
  readonly ends?: { readonly text: string; readonly route?: ToolCall | undefined } | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

export interface AgentReply {
  readonly text: string;
  readonly usage?: Usage;
  /** null if unknown, which is not 0. */
  readonly cost_usd?: number | null;
  /** The tool's own session id, to resume it in the next turn. */
  readonly native_session_id?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly meta?: JsonObject;
}

/** Answers a thread. `(ctx, systemPrompt) => text` is the shortest form. */
export type AgentFn = (ctx: ThreadContext, systemPrompt: string, turn?: TurnOptions) => Promise<string | AgentReply>;
