/** The parts of a log: entries, units that append them, and the head that summarizes a session. */

import type { Awaited, Envelope, Turn } from './envelope.ts';
import type { LifecycleState, ParticipantStatus } from './session.ts';
import type { Spend } from './spending.ts';

export interface Head {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  /** The time of the last entry. Missing in heads stored by older versions. */
  readonly changed_at?: string;
  readonly type: string;
  readonly version: number;
  readonly state: LifecycleState;
  readonly creator_id: string;
  /** The status of each participant, in participant order. */
  readonly members: Readonly<Record<string, ParticipantStatus>>;
  /** The seq at which each removed participant left; its stream ends there. */
  readonly left: Readonly<Record<string, number>>;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly invite_deadline_at: string | null;
  readonly drain_timeout_ms: number;
  /** When the session began to close. */
  readonly closing_at: string | null;
  /** The seq of `session.closing`, which all bound participants must ack before the session ends. */
  readonly closing_seq: number | null;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly parent_session_id: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly create_key: string | null;
  readonly request_digest: string;
  readonly turn: Turn | null;
  /** The earliest deadline of an expectation or task, in milliseconds; null = none. */
  readonly due_at: number | null;
  /** Number of unsettled delegations. */
  readonly delegations: number;
  /** Number of open tasks by owner; absent if none. */
  readonly tasks?: Readonly<Record<string, number>>;
  /** Reported spending; absent = none reported. */
  readonly spent?: Spend;
  /** The decision that the session waits for; absent if none. */
  readonly awaits?: Awaited;
}

/** An envelope and the turn after it, stored together so that readers need not fold. */
export interface Entry {
  readonly envelope: Envelope;
  readonly turn: Turn | null;
  /** The earliest deadline of an expectation or task, in milliseconds; absent = none. Folded like `turn`. */
  readonly due?: number;
  /** The decision the session waits for after it; absent = none. Folded like `turn`. */
  readonly awaits?: Awaited;
}

/** The consecutive entries of one operation; recovered completely or not at all. */
export interface Unit {
  readonly entries: readonly Entry[];
  /** The resulting head if the caller has folded it, so that a store need not fold again. Not stored. */
  readonly head?: Head;
}

export function givesTurn({ envelope, turn }: Entry, agentId: string): boolean {
  return turn !== null && turn.agent_id === agentId && turn.since_seq === envelope.seq;
}
