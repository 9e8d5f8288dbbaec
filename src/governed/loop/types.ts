/** Defines the contract of the run loop: callbacks, options, events and result. */

import type { GovernedConfig, RunState, Turn } from '../engine/index.ts';
import type { UnknownRecord } from '../engine/lib/unknown-record.ts';
import type { BlockDetails, TurnTaken } from '../runner/contract/types.ts';

/** One attempt of a turn. Its bundle is sealed and on disk. */
export interface DispatchContext {
  readonly turn: Turn;
  readonly state: RunState;
  /** Relative to the root, like `stagingPath`. */
  readonly bundlePath: string;
  readonly stagingPath: string;
  /** Digest of MANIFEST.json, to verify the bundle. */
  readonly bundleDigest: string;
  readonly config: GovernedConfig;
  readonly root: string;
  /** Timeout of this attempt; then the signal aborts, and later answers are ignored. */
  readonly dispatchTimeoutMs: number;
  readonly dispatchDeadlineAt: string;
  readonly dispatchAbortSignal: AbortSignal;
}

export type LoopAnswer =
  /** Without `turnResult`, the result is already staged. */
  | { readonly accept: true; readonly turnResult?: unknown }
  /** Rejects the attempt; the turn is retried while attempts remain. */
  | { readonly accept: false; readonly blocked?: false; readonly reason: string; readonly errors?: readonly string[] }
  /** Retrying is pointless: the run waits for an operator. */
  | {
      readonly accept: false;
      readonly blocked: true;
      readonly reason?: string;
      readonly blockedOn?: string;
      readonly category?: string;
      /** Text, or an object with owner and action. */
      readonly recovery?: string | BlockDetails['recovery'];
    };

export type GateType = 'phase_transition' | 'run_completion';

type Awaitable<T> = T | Promise<T>;

/** Called one at a time, except `dispatch`, which may run concurrently. Errors they throw are reported in the result. */
export interface LoopCallbacks {
  /** Returns the next role, or null to end the loop. While turns are active: a further role, or null for none. */
  selectRole(state: RunState, config: GovernedConfig): Awaitable<string | null>;
  dispatch(context: DispatchContext): Awaitable<LoopAnswer>;
  /** Only `true` approves. */
  approveGate(type: GateType, state: RunState): Awaitable<boolean>;
  /** Each call is awaited, in order of occurrence. */
  onEvent?(event: LoopEvent): Awaitable<void>;
  /** Called after the turn is accepted; `ok: false` ends the loop. */
  afterAccept?(given: {
    readonly turn: Turn;
    readonly acceptResult: TurnTaken;
  }): Awaitable<{ readonly ok: boolean; readonly error?: string } | undefined>;
}

export interface LoopOptions {
  /** Maximum attempts of all turns (default: `run_loop.max_turns` of the config, else 50). */
  readonly maxTurns?: number | undefined;
  readonly provenance?: UnknownRecord | null;
  readonly inheritedContext?: UnknownRecord | null;
  readonly startNewRunFromCompleted?: boolean;
  readonly startNewRunFromBlocked?: boolean;
  /** Stops the loop: dispatches nothing more and aborts active turns, which stay active for the next loop. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout per attempt (default: that of the runtime, else `timeouts.per_turn_minutes`, else 120 minutes). */
  readonly turnTimeoutMs?: number | undefined;
  /** Grace period of a callback after the abort (default: 10000). */
  readonly abortGraceMs?: number;
}

export type StopReason =
  | 'completed'
  | 'gate_held'
  | 'blocked'
  | 'caller_stopped'
  | 'max_turns_reached'
  | 'reject_exhausted'
  | 'dispatch_error'
  | 'init_failed'
  | 'admission_rejected'
  | 'conflict_loop'
  | 'aborted'
  /** Never used, kept for compatibility: nothing preempts a run, and conflicts end in `conflict_loop`. */
  | 'priority_preempted'
  | 'conflict_stall';

export interface LoopError {
  /** Stable code, such as `dispatch_threw` or `lock_timeout`. */
  readonly code: string;
  readonly message: string;
  readonly turn_id: string | null;
}

export interface TurnRecord {
  readonly role: string;
  readonly turn_id: string;
  readonly attempt: number;
  readonly accepted: boolean;
  /** null if the attempt was accepted. */
  readonly reason: string | null;
}

export interface LoopResult {
  /** False if something failed, was refused or was aborted. */
  readonly ok: boolean;
  readonly stop_reason: StopReason;
  readonly state: RunState | null;
  readonly turns_executed: number;
  readonly turn_history: readonly TurnRecord[];
  readonly gates_approved: number;
  readonly errors: readonly LoopError[];
}

interface OfTurn {
  readonly turn: Turn;
  readonly role: string;
}

export type LoopEvent =
  | ({ readonly type: 'turn_assigned'; readonly state: RunState } & OfTurn)
  | ({ readonly type: 'turn_accepted'; readonly acceptResult: TurnTaken } & OfTurn)
  | ({ readonly type: 'turn_rejected'; readonly reason: string; readonly escalated: boolean } & OfTurn)
  | ({ readonly type: 'turn_conflicted'; readonly reason: string; readonly escalated: boolean } & OfTurn)
  | { readonly type: 'parallel_dispatch'; readonly turns: readonly Turn[] }
  | {
      readonly type: 'gate_paused' | 'gate_approved' | 'gate_held';
      readonly gateType: GateType;
      readonly state: RunState;
    }
  | { readonly type: 'completed' | 'blocked'; readonly state: RunState }
  | { readonly type: 'caller_stopped'; readonly state: RunState };
