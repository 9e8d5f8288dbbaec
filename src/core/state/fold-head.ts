/** The head: a summary of a session that stays in memory while its state does not, used to list, find and wake it. */

import { HubError } from '../lib/errors.ts';
import { msFromIso } from '../lib/time.ts';
import type { SessionQuery } from '../ports/store.ts';
import type { Envelope } from '../records/session/envelope.ts';
import { type CreatedData, isTerminal, type ParticipantStatus } from '../records/session/session.ts';
import { addSpend, spendFromEnvelope } from '../records/session/spending.ts';
import type { Entry, Head, Unit } from '../records/session/unit.ts';
import { endOfTask } from '../records/work/tasks.ts';

/** Folds one entry; the first entry of a session must be `session.created`. */
export function foldHead(head: Head | null, entry: Entry): Head {
  const { envelope } = entry;
  if (head === null) return createdHead(entry);
  const moved = movedOn(head, entry);
  const tasked = head.tasks === undefined && envelope.task_id === null ? moved : withTasks(head, moved, envelope);
  const spent = head.spent === undefined && !mayHaveSpent(envelope) ? tasked : withSpent(head, tasked, envelope);
  const next = entry.awaits === undefined ? spent : { ...spent, awaits: entry.awaits };
  switch (envelope.event_type) {
    case 'session.invite':
      return withInvitee(next, envelope);
    case 'session.invite.ack':
    case 'session.participant.joined':
    case 'session.participant.returned':
      return withMember(next, envelope, 'active');
    case 'session.invite.reject':
      return withMember(next, envelope, 'rejected');
    case 'session.participant.hidden':
      return withMember(next, envelope, 'hidden');
    case 'session.participant.removed':
      return withMember(next, envelope, 'removed');
    case 'session.opened':
      return { ...next, state: 'ACTIVE' };
    case 'session.closing':
      return {
        ...next,
        state: 'CLOSING',
        closing_at: envelope.created_at,
        closing_seq: envelope.seq,
        close_reason: String(envelope.event_data.reason),
      };
    case 'session.closed':
      return ended(next, envelope, 'CLOSED');
    case 'session.expired':
      return ended(next, envelope, 'EXPIRED');
    case 'delegation.opened':
      return { ...next, delegations: next.delegations + 1 };
    case 'delegation.settled':
      return { ...next, delegations: next.delegations - 1 };
    default:
      return next;
  }
}

function withMember(head: Head, { event_data, seq }: Envelope, status: ParticipantStatus): Head {
  const { agent_id } = event_data;
  if (typeof agent_id !== 'string') return head;
  const members = { ...head.members, [agent_id]: status };
  return status === 'removed' ? { ...head, members, left: { ...head.left, [agent_id]: seq } } : { ...head, members };
}

function withTasks(before: Head, head: Head, envelope: Envelope): Head {
  const { task_id, event_type, event_data, sender_id } = envelope;
  const hasEnded = endOfTask(envelope) !== undefined;
  const { tasks: counts = {} } = before;
  if (!hasEnded && (event_type !== 'task.started' || task_id === null)) {
    return before.tasks === undefined ? head : { ...head, tasks: counts };
  }
  const owner = hasEnded ? String(event_data.owner_id) : sender_id;
  const { [owner]: known = 0, ...others } = counts;
  const count = known + (hasEnded ? -1 : 1);
  if (count > 0) return { ...head, tasks: { ...others, [owner]: count } };
  return Object.keys(others).length === 0 ? head : { ...head, tasks: others };
}

/** A cheap check: it runs for every entry, and most have no costs. */
function mayHaveSpent({ event_type, event_data }: Envelope): boolean {
  return event_data.cost_usd !== undefined || event_data.usage !== undefined || event_type === 'delegation.settled';
}

function withSpent({ spent }: Head, head: Head, envelope: Envelope): Head {
  const more = mayHaveSpent(envelope) ? spendFromEnvelope(envelope) : null;
  if (more === null) return spent === undefined ? head : { ...head, spent };
  return { ...head, spent: spent === undefined ? more : addSpend(spent, more) };
}

/** Adds new and previously declined invitees; the invites of the session's creation change nothing. */
function withInvitee(head: Head, envelope: Envelope): Head {
  const status = head.members[String(envelope.event_data.agent_id)];
  return status === undefined || status === 'rejected' ? withMember(head, envelope, 'invited') : head;
}

function ended(head: Head, { created_at, event_data }: Envelope, state: 'CLOSED' | 'EXPIRED'): Head {
  return { ...head, state, closed_at: created_at, close_reason: String(event_data.reason) };
}

/** Lists every member: this runs for every entry, and a spread is ten times slower. */
function movedOn(head: Head, { envelope, turn, due }: Entry): Head {
  return {
    session_id: head.session_id,
    seq: envelope.seq,
    envelope_id: envelope.envelope_id,
    changed_at: envelope.created_at,
    type: head.type,
    version: head.version,
    state: head.state,
    creator_id: head.creator_id,
    members: head.members,
    left: head.left,
    created_at: head.created_at,
    expires_at: head.expires_at,
    invite_deadline_at: head.invite_deadline_at,
    drain_timeout_ms: head.drain_timeout_ms,
    closing_at: head.closing_at,
    closing_seq: head.closing_seq,
    closed_at: head.closed_at,
    close_reason: head.close_reason,
    parent_session_id: head.parent_session_id,
    labels: head.labels,
    create_key: head.create_key,
    request_digest: head.request_digest,
    turn,
    due_at: due ?? null,
    // Heads stored by older versions lack this member.
    delegations: head.delegations ?? 0,
  };
}

/** Heads stored by older versions lack `changed_at`: fall back to the creation time. */
export function changedAt({ changed_at, created_at }: Head): string {
  return changed_at ?? created_at;
}

/** The next deadline of the lifecycle or the expectations; null = none. */
export function headDeadline(head: Head): number | null {
  const lifecycle = lifecycleDeadline(head);
  // Heads stored by older versions lack this member.
  const due = head.due_at ?? null;
  if (due === null || isTerminal(head.state)) return lifecycle;
  return lifecycle === null ? due : Math.min(lifecycle, due);
}

/** The next deadline of the lifecycle alone; null = none. */
export function lifecycleDeadline(head: Head): number | null {
  switch (head.state) {
    case 'INVITED':
      return earliest(head.invite_deadline_at, head.expires_at);
    case 'ACTIVE':
      return head.expires_at === null ? null : msFromIso(head.expires_at);
    case 'CLOSING':
      return head.closing_at === null ? null : msFromIso(head.closing_at) + head.drain_timeout_ms;
    default:
      return null;
  }
}

function createdHead({ envelope, turn, due }: Entry): Head {
  // The hub made this data from a parsed request, so it needs no schema check.
  const created = envelope.event_data as unknown as CreatedData;
  const members: Record<string, ParticipantStatus> = {};
  for (const { agent_id } of created.participants) {
    members[agent_id] = agent_id === created.creator_id ? 'active' : 'invited';
  }
  return {
    session_id: envelope.session_id,
    seq: envelope.seq,
    envelope_id: envelope.envelope_id,
    changed_at: envelope.created_at,
    type: created.manifest.type,
    version: created.manifest.version,
    state: 'INVITED',
    creator_id: created.creator_id,
    members,
    left: {},
    created_at: envelope.created_at,
    expires_at: created.expires_at,
    invite_deadline_at: acksAreWatched(created) ? null : created.invite_deadline_at,
    drain_timeout_ms: created.drain_timeout_ms,
    closing_at: null,
    closing_seq: null,
    closed_at: null,
    close_reason: null,
    parent_session_id: created.parent_session_id,
    labels: created.labels,
    create_key: envelope.idempotency_key,
    request_digest: created.request_digest,
    turn,
    due_at: due ?? null,
    delegations: 0,
  };
}

/** true if an expectation, not the lifecycle, closes a session whose invites are not answered in time. */
function acksAreWatched({ manifest, versions }: CreatedData): boolean {
  if (versions.evaluators === undefined) return false;
  return manifest.expectations.some(
    ({ name, on_violation, applies_to }) =>
      name === 'acks_within' && on_violation === 'auto_close' && applies_to === undefined,
  );
}

function earliest(...times: (string | null)[]): number | null {
  const known = times.filter((time) => time !== null).map(msFromIso);
  return known.length === 0 ? null : Math.min(...known);
}

/** Throws unless a unit continues directly after seq `before`; a wrong seq is a defect of the caller. */
export function checkSeqs(logId: string, before: number, { entries }: Unit): void {
  if (entries.length === 0) throw new HubError('bad_unit', `log ${logId}: a unit has at least one entry`);
  for (let i = 0; i < entries.length; i++) {
    const seq = entries[i]?.envelope.seq;
    const due = before + 1 + i;
    if (seq === due) continue;
    const what = `entry ${i} of a unit after seq ${before} must have seq ${due}, not ${seq}`;
    throw new HubError('bad_unit', `log ${logId}: ${what}`);
  }
}

/** The head after one more entry; null for other logs, which do not begin with `session.created`. */
export function foldSession(head: Head | null, entry: Entry): Head | null {
  const { seq, event_type } = entry.envelope;
  const isSession = head !== null || (seq === 1 && event_type === 'session.created');
  return isSession ? foldHead(head, entry) : null;
}

export function matchesQuery(head: Head, query: SessionQuery): boolean {
  const { participant, states, type, ended_since, changed_since } = query;
  if (participant !== undefined && !Object.hasOwn(head.members, participant)) return false;
  if (states !== undefined && !states.includes(head.state)) return false;
  if (type !== undefined && head.type !== type) return false;
  if (changed_since !== undefined && msFromIso(changedAt(head)) < msFromIso(changed_since)) return false;
  return ended_since === undefined || head.closed_at === null || msFromIso(head.closed_at) >= msFromIso(ended_since);
}
