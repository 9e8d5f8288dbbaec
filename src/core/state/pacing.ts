/** Folds the timing facts that expectations need. O(1) for most envelopes. */

import { HubError } from '../lib/errors.ts';
import type { Json } from '../lib/json.ts';
import { msFromIso } from '../lib/time.ts';
import type {
  AcceptEntry,
  AcceptedContent,
  ExpectationSet,
  FailedTurn,
  HeldTurn,
  PendingReply,
  TimingFacts,
} from '../ports/expectation.ts';
import { actingAgent, type Envelope, isChecked, isContent, type Turn } from '../records/session/envelope.ts';
import { type ExpectationEntry, participantOf, type SessionMetadata } from '../records/session/session.ts';
import { ignoreRejection } from './check-expectation-output.ts';

export const NO_PACING: TimingFacts = Object.freeze({
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
  before: TimingFacts,
  envelope: Envelope,
  metadata: SessionMetadata,
  turn: Turn | null,
  watch: ExpectationSet | null,
): TimingFacts {
  if (watch === null) {
    return envelope.event_type.startsWith('task.') ? reported(before, envelope) : before;
  }
  const type = envelope.event_type;
  const at = msFromIso(envelope.created_at);
  const moment = { seq: envelope.seq, at };
  // Lists every member: this runs for every envelope, and a spread is ten times slower.
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

/** Keeps reports even without expectations, because they limit how often reports are logged. */
function reported(before: TimingFacts, envelope: Envelope): TimingFacts {
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

function progressed({ progress }: TimingFacts, { sender_id }: Envelope, at: number): TimingFacts['progress'] {
  return { ...progress, [sender_id]: at };
}

/** Only active participants owe an answer; a returning participant owes none for earlier content. */
function unansweredAfter(
  before: readonly PendingReply[],
  { event_type, sender_id, audience, seq }: Envelope,
  { participants }: SessionMetadata,
  at: number,
): readonly PendingReply[] {
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

function firedAfter(before: TimingFacts['fired'], { event_data }: Envelope): TimingFacts['fired'] {
  // The hub made this data, so it needs no schema check.
  const { entry, violators } = event_data as unknown as {
    entry: number;
    violators: readonly { agent_id: string | null; since_seq: number }[];
  };
  const fired = Array.from({ length: Math.max(before.length, entry + 1) }, (_, i) => before[i] ?? {});
  const waits = violators.map(({ agent_id, since_seq }) => [agent_id ?? '', since_seq] as const);
  fired[entry] = { ...fired[entry], ...Object.fromEntries(waits) };
  return fired;
}

type Tallies = readonly (Json | null)[];

function talliesAfter(
  before: Tallies,
  envelope: Envelope,
  metadata: SessionMetadata,
  { accepting }: ExpectationSet,
): Tallies {
  if (accepting.length === 0) return before;
  return accepting.map((watched, i) => {
    const tally = before[i] ?? null;
    if (!isFor(watched, envelope, metadata)) return tally;
    try {
      return foldTally(watched, tally, envelope, metadata);
    } catch {
      // Keep the tally and continue, live and on replay; the accept check reports the error.
      return tally;
    }
  });
}

/** Whether an entry sees this envelope: content of agents it applies to, and their settlements if requested. */
export function isFor({ entry, evaluator }: AcceptEntry, envelope: Envelope, metadata: SessionMetadata): boolean {
  if (envelope.event_type === 'delegation.settled' && evaluator.settlements !== true) return false;
  return appliesTo(entry, actingAgent(envelope), metadata);
}

export function foldTally(
  { entry, evaluator }: AcceptEntry,
  tally: Json | null,
  envelope: Envelope,
  metadata: SessionMetadata,
): Json | null {
  const accepted: AcceptedContent = { envelope, metadata, params: entry.params };
  const after: unknown = evaluator.fold(tally, accepted) ?? null;
  ignoreRejection(after);
  if (after instanceof Promise) throw new HubError('bad_evaluator', `${evaluator.name}: fold must not wait`);
  // The contract suite checks that this value is JSON.
  return after as Json | null;
}

/** `agentId` null = the session, to which every entry applies. */
export function appliesTo(
  { applies_to }: ExpectationEntry,
  agentId: string | null,
  metadata: SessionMetadata,
): boolean {
  if (applies_to === undefined || agentId === null || applies_to.includes(agentId)) return true;
  const role = participantOf(metadata, agentId)?.role;
  return role !== undefined && applies_to.includes(role);
}
