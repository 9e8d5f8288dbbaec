/** What a participant is made of: a function that is given a thread and answers it, whatever it does for that. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';

/** How a thread began: the session's opening frame. */
export interface StartFrame {
  readonly role: string;
  readonly content: string;
  readonly meta: JsonObject;
  readonly timestamp: string;
}

/** One message of the thread. */
export interface Step {
  readonly role: string;
  readonly content: string;
  readonly meta: JsonObject;
  readonly timestamp: string;
}

/** A session as one participant sees it: its id, its opening frame, and what its view shows, ready to be a prompt. */
export interface ThreadContext {
  readonly threadId: string;
  readonly start: StartFrame;
  readonly steps: readonly Step[];
}

/** Disjoint classes, but for reasoning, which is part of the output. null = the tool does not tell. */
export interface Usage {
  readonly input_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly output_tokens: number | null;
  readonly reasoning_tokens: number | null;
}

/** What an agent is doing, for whoever looks on. */
export interface ProgressEvent {
  readonly kind: 'started' | 'tool' | 'retry' | 'note';
  readonly text: string;
}

/** What one turn is run with. */
export interface TurnOptions {
  /** Aborted when no answer is wanted any more: end what was started, then reject. */
  readonly signal: OwnSignal;
  /** Shows a part of the answer while it is written. */
  onDelta(text: string): void;
  onProgress(event: ProgressEvent): void;
  /** The same for every try of one turn, also in another process. */
  readonly idempotencyKey: string;
  /** An earlier run began this turn, and nobody knows how far it came. */
  readonly resumed: boolean;
  /** The `native_session_id` of this participant's last answer in the thread. */
  readonly nativeSessionId?: string | undefined;
  /** What the turn may cost; for agents that can keep to it. */
  readonly budget?: TurnBudget | undefined;
  /** What the agent may do in the hub before it answers; for agents that can call tools. */
  readonly tools?: readonly AgentTool[] | undefined;
}

/** Of a tool that takes a number, `usd` and `tokens` are what is left by the tightest limit when they are read. */
export interface TurnBudget {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  /** Keeps count over all calls of the turn, and of other turns that the same limits are for. */
  readonly meter?: Meter | undefined;
}

export interface Meter {
  /** Sets aside what a call may need. Throws AgentError `budget_exceeded`, which says what limit that is over. */
  hold(need: BudgetRequest): BudgetHold;
  /** null = there is no limit in that respect. */
  left(): { readonly usd: number | null; readonly tokens: number | null };
}

export interface BudgetRequest {
  /** What is called, by the name its users know. */
  readonly tool: string;
  readonly tokens: number;
  /** null = nobody knows its price. */
  readonly usd: number | null;
  /** What the sum is made of, for who is refused. */
  readonly made?: string | undefined;
}

/** To be settled once, whatever became of the call. */
export interface BudgetHold {
  settle(used: { readonly tokens: number; readonly usd: number | null }): void;
}

export interface AgentTool {
  readonly name: string;
  /** For a model: when to call it, and what comes back. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** What is wrong with a call is a result that says so; rejects only when the signal says that nobody wants it any more. */
  call(args: Json, signal: OwnSignal): Promise<ToolResult>;
}

export interface ToolResult {
  /** For the model. What others wrote in it is marked as theirs. */
  readonly text: string;
  readonly is_error?: boolean | undefined;
  /** The turn ends with this call: what is said then, and the call that passes the turn on, if it does. */
  readonly ends?: { readonly text: string; readonly route?: ToolCall | undefined } | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

export interface AgentReply {
  readonly text: string;
  readonly usage?: Usage;
  /** null = unknown, which is not 0. */
  readonly cost_usd?: number | null;
  /** What the tool calls its own session, to go on with it at the next turn. */
  readonly native_session_id?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly meta?: JsonObject;
}

/** Answers a thread. A function of the first two arguments that answers text is one. */
export type AgentFn = (ctx: ThreadContext, systemPrompt: string, turn?: TurnOptions) => Promise<string | AgentReply>;
