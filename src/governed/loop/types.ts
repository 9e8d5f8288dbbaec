/** The run loop: what it asks its caller, what it tells, and how it ends. It never throws. */

import type { GovernedConfig, RunState, Turn } from '../engine/index.ts';
import type { UnknownRecord } from '../engine/lib/unknown-record.ts';
import type { BlockDetails, TurnTaken } from '../runner/contract/types.ts';

/** One try of one turn. Its bundle is sealed and on the disk. */
export interface DispatchContext {
  readonly turn: Turn;
  readonly state: RunState;
  /** Relative to the root, as the next one. */
  readonly bundlePath: string;
  readonly stagingPath: string;
  /** Of its MANIFEST.json, to verify the bundle by. */
  readonly bundleDigest: string;
  readonly config: GovernedConfig;
  readonly root: string;
  /** How long this try may take; then the signal is aborted, and what comes later does not count. */
  readonly dispatchTimeoutMs: number;
  readonly dispatchDeadlineAt: string;
  readonly dispatchAbortSignal: AbortSignal;
}

export type LoopAnswer =
  /** Without `turnResult` it is in the staged file already. */
  | { readonly accept: true; readonly turnResult?: unknown }
  /** Once more, as long as the turn has tries left. */
  | { readonly accept: false; readonly blocked?: false; readonly reason: string; readonly errors?: readonly string[] }
  /** Trying again will not help: the run waits for somebody. */
  | {
      readonly accept: false;
      readonly blocked: true;
      readonly reason?: string;
      readonly blockedOn?: string;
      readonly category?: string;
      /** In words, or with an owner and an action. */
      readonly recovery?: string | BlockDetails['recovery'];
    };

export type GateType = 'phase_transition' | 'run_completion';

type Awaitable<T> = T | Promise<T>;

/** Called one at a time but for `dispatch`, of which several may be under way. What one throws is among the errors. */
export interface LoopCallbacks {
  /** Whose turn is next; null = nobody's, and the loop ends. With turns out it is asked for a further one beside them. */
  selectRole(state: RunState, config: GovernedConfig): Awaitable<string | null>;
  dispatch(context: DispatchContext): Awaitable<LoopAnswer>;
  /** Only `true` opens it. */
  approveGate(type: GateType, state: RunState): Awaitable<boolean>;
  /** Awaited, and called in the order in which things happened. */
  onEvent?(event: LoopEvent): Awaitable<void>;
  /** The turn is part of the run already; `ok: false` ends the loop after it. */
  afterAccept?(given: {
    readonly turn: Turn;
    readonly acceptResult: TurnTaken;
  }): Awaitable<{ readonly ok: boolean; readonly error?: string } | undefined>;
}

export interface LoopOptions {
  /** Tries of turns, of all roles; `run_loop.max_turns` of the config, or 50. */
  readonly maxTurns?: number | undefined;
  readonly provenance?: UnknownRecord | null;
  readonly inheritedContext?: UnknownRecord | null;
  readonly startNewRunFromCompleted?: boolean;
  readonly startNewRunFromBlocked?: boolean;
  /** Ends the loop: nothing new goes out, what is out is told to stop, and stays out for the next loop. */
  readonly signal?: AbortSignal | undefined;
  /** For each try; else what the runtime or `timeouts.per_turn_minutes` says, or 120 minutes. */
  readonly turnTimeoutMs?: number | undefined;
  /** How long a callback that was told to stop is waited for. */
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
  /** These two are never given: nothing preempts a run, and a conflict is retried or ends in `conflict_loop`. */
  | 'priority_preempted'
  | 'conflict_stall';

export interface LoopError {
  /** Stays the same: `dispatch_threw`, `lock_timeout`. */
  readonly code: string;
  readonly message: string;
  readonly turn_id: string | null;
}

/** One try. */
export interface TurnRecord {
  readonly role: string;
  readonly turn_id: string;
  readonly attempt: number;
  readonly accepted: boolean;
  /** Of one that was not. */
  readonly reason: string | null;
}

export interface LoopResult {
  /** False = it ended because something failed, was refused or was broken off. */
  readonly ok: boolean;
  readonly stop_reason: StopReason;
  /** null = there is no run. */
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
