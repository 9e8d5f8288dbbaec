/** What a log is made of: entries, the units that append them, and the head that sums a session up. */

import type { Awaited, Envelope, Turn } from './envelope.ts';
import type { LifecycleState, ParticipantStatus } from './session.ts';
import type { Spend } from './spending.ts';

export interface Head {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  /** When its last entry was made. Heads that were stored before there was such a member lack it. */
  readonly changed_at?: string;
  readonly type: string;
  readonly version: number;
  readonly state: LifecycleState;
  readonly creator_id: string;
  /** In the order of the participants. */
  readonly members: Readonly<Record<string, ParticipantStatus>>;
  /** The seq at which each removed member left: its stream ends there. */
  readonly left: Readonly<Record<string, number>>;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly invite_deadline_at: string | null;
  readonly drain_timeout_ms: number;
  /** When the session began to close. */
  readonly closing_at: string | null;
  /** The seq of `session.closing`: what everyone present must have before the session ends. */
  readonly closing_seq: number | null;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly parent_session_id: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly create_key: string | null;
  readonly request_digest: string;
  readonly turn: Turn | null;
  /** When the first thing that is expected becomes a violation, or a task expires, in milliseconds; null = nothing is. */
  readonly due_at: number | null;
  /** How many of its delegations are not settled. */
  readonly delegations: number;
  /** How many tasks that have not ended each owner has; absent = there are none. */
  readonly tasks?: Readonly<Record<string, number>>;
  /** What was spent in it, as far as anybody said; absent = nobody did. */
  readonly spent?: Spend;
  /** What it waits for that is nobody's turn; absent = nothing. */
  readonly awaits?: Awaited;
}

/** One line of the log: the envelope, and whose turn it was after it (a fold kept beside it, so that replay need not fold). */
export interface Entry {
  readonly envelope: Envelope;
  readonly turn: Turn | null;
  /** When, in milliseconds, the first thing the session expects becomes a violation; absent = nothing does. A fold like `turn`. */
  readonly due?: number;
  /** What the session waits for after it, beside a turn; absent = nothing. A fold like `turn`. */
  readonly awaits?: Awaited;
}

/** What one operation wrote: consecutive entries, recovered whole or not at all. */
export interface Unit {
  readonly entries: readonly Entry[];
  /** The summary of its session after it, from whoever has folded it already: a store need not do it again. It is not written. */
  readonly head?: Head;
}

/** It gave this participant the turn. */
export function givesTurn({ envelope, turn }: Entry, agentId: string): boolean {
  return turn !== null && turn.agent_id === agentId && turn.since_seq === envelope.seq;
}
