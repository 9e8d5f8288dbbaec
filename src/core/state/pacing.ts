/** Pacing facts: since when what is waited for, folded from the log like everything else. O(1) for most envelopes. */

import { type Envelope, isChecked, isContent, type Turn } from '../records/session/envelope.ts';
import type { Watch } from '../ports/expectation.ts';
import type { Json } from '../lib/json.ts';
import type { SessionMetadata } from '../records/session/session.ts';
import { talliesAfter } from '../tallies.ts';
import { msFromIso } from '../time.ts';

/** An envelope, and when it was accepted. */
export interface Moment {
  readonly seq: number;
  readonly at: number;
}

export interface Unanswered extends Moment {
  readonly agent_id: string;
}

export interface HeldTurn {
  readonly agent_id: string;
  readonly since_seq: number;
  readonly at: number;
}

/** A turn whose holder said that it cannot take it, and where it said so. */
export interface FailedTurn extends HeldTurn {
  readonly seq: number;
}

export interface Pacing {
  readonly created: Moment | null;
  readonly opened: Moment | null;
  readonly content: Moment | null;
  /** The expected speaker, since when, and when it said that it could not. */
  readonly turn: HeldTurn | null;
  readonly failed: FailedTurn | null;
  /** The first content each active participant was addressed by since it last said something. Kept only where it is needed. */
  readonly unanswered: readonly Unanswered[];
  /** When each participant last said that it is at work. */
  readonly progress: Readonly<Record<string, number>>;
  /** By entry, by agent ("" = the session): the wait that has fired last. */
  readonly fired: readonly Readonly<Record<string, number>>[];
  /** What each evaluator that looks at what is accepted keeps, in the order of their entries. */
  readonly tallies: readonly (Json | null)[];
}

export const NO_PACING: Pacing = Object.freeze({
  created: null,
  opened: null,
  content: null,
  turn: null,
  failed: null,
  unanswered: [],
  progress: {},
  fired: [],
  tallies: [],
});

export function foldPacing(
  before: Pacing,
  envelope: Envelope,
  metadata: SessionMetadata,
  turn: Turn | null,
  watch: Watch | null,
): Pacing {
  if (watch === null) {
    return envelope.event_type.startsWith('task.') ? reported(before, envelope) : before;
  }
  const type = envelope.event_type;
  const at = msFromIso(envelope.created_at);
  const moment = { seq: envelope.seq, at };
  // Written out: it is made for every envelope, and a spread costs ten times as much.
  return {
    created: before.created ?? moment,
    opened: type === 'session.opened' ? moment : before.opened,
    content: isContent(type) ? moment : before.content,
    turn: heldTurn(before.turn, turn, at),
    failed: type === 'task.failed' && envelope.task_id === null ? failure(envelope, at) : before.failed,
    unanswered: watch.needsUnanswered ? unansweredAfter(before.unanswered, envelope, metadata, at) : before.unanswered,
    progress: type === 'task.progress' ? progressed(before, envelope, at) : before.progress,
    fired: type === 'expectation.violated' ? firedAfter(before.fired, envelope) : before.fired,
    tallies: isChecked(type) ? talliesAfter(before.tallies, envelope, metadata, watch) : before.tallies,
  };
}

/** What holders say of their turns is kept also where nothing is expected: it says what they need not say again. */
function reported(before: Pacing, envelope: Envelope): Pacing {
  const at = msFromIso(envelope.created_at);
  switch (envelope.event_type) {
    case 'task.progress':
      return { ...before, progress: progressed(before, envelope, at) };
    case 'task.failed':
      return { ...before, failed: failure(envelope, at) };
    default:
      return before;
  }
}

function heldTurn(before: HeldTurn | null, turn: Turn | null, at: number): HeldTurn | null {
  if (turn === null) return null;
  const { agent_id, since_seq } = turn;
  if (before !== null && before.agent_id === agent_id && before.since_seq === since_seq) return before;
  return { agent_id, since_seq, at };
}

function failure({ event_data, seq }: Envelope, at: number): FailedTurn {
  return { agent_id: String(event_data.agent_id), since_seq: Number(event_data.since_seq), at, seq };
}

function progressed({ progress }: Pacing, { sender_id }: Envelope, at: number): Pacing['progress'] {
  return { ...progress, [sender_id]: at };
}

/** Who is not active owes no answer, and begins anew when it comes back. */
function unansweredAfter(
  before: readonly Unanswered[],
  { event_type, sender_id, audience, seq }: Envelope,
  { participants }: SessionMetadata,
  at: number,
): readonly Unanswered[] {
  if (event_type.startsWith('session.')) {
    const left = before.filter((wait) => participants.some((one) => one.agent_id === wait.agent_id && isActive(one)));
    return left.length === before.length ? before : left;
  }
  if (!isContent(event_type)) return before;
  const waits = before.filter((wait) => wait.agent_id !== sender_id);
  const known = new Set(waits.map(({ agent_id }) => agent_id));
  for (const participant of participants) {
    const { agent_id } = participant;
    if (agent_id === sender_id || known.has(agent_id) || !isActive(participant)) continue;
    if (audience === null || audience.includes(agent_id)) waits.push({ agent_id, seq, at });
  }
  return waits;
}

function isActive({ status }: SessionMetadata['participants'][number]): boolean {
  return status === 'active';
}

function firedAfter(before: Pacing['fired'], { event_data }: Envelope): Pacing['fired'] {
  // Made by the hub; the log is read by checksum, not by schema.
  const { entry, violators } = event_data as unknown as {
    entry: number;
    violators: readonly { agent_id: string | null; since_seq: number }[];
  };
  const fired = Array.from({ length: Math.max(before.length, entry + 1) }, (_, i) => before[i] ?? {});
  const waits = violators.map(({ agent_id, since_seq }) => [agent_id ?? '', since_seq] as const);
  fired[entry] = { ...fired[entry], ...Object.fromEntries(waits) };
  return fired;
}
