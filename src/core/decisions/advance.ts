/** Turns admitted drafts into one unit: their stamped entries, the hub's additions, and the resulting state. */

import { HubError, internalError } from '../lib/errors.ts';
import { isWellFormed } from '../lib/json.ts';
import type { CompleteAdapter } from '../ports/adapter.ts';
import type { ExpectationSet } from '../ports/expectation.ts';
import { GRANTS } from '../records/access/grants.ts';
import {
  type Draft,
  type Envelope,
  type HubEventType,
  hubDraft,
  isChecked,
  isContent,
} from '../records/session/envelope.ts';
import { isMember, type LifecycleState, participantOf, type SessionMetadata } from '../records/session/session.ts';
import type { Stamp } from '../records/session/stamp.ts';
import type { Entry, Head } from '../records/session/unit.ts';
import { type LifecycleEvent, nextLifecycle } from '../state/lifecycle.ts';
import { settlementsAtEnd } from '../state/open-delegations.ts';
import { foldEnvelope, type SessionState } from '../state/state.ts';
import type { AppliedUnit } from './decision.ts';
import { tasksEndedBy } from './task-ends.ts';

export interface Governance {
  readonly adapter: CompleteAdapter | null;
  readonly epoch: number;
  readonly watch?: ExpectationSet | null;
  readonly maxEnvelopes: number;
  /** Run in order on accepted content; the drafts they return are appended to the same unit. */
  readonly checks?: readonly AcceptCheck[] | undefined;
  /** The next stamp, later than `last` and unique. */
  stamp(last: string | null): Stamp;
}

export interface AcceptedStep {
  readonly envelope: Envelope;
  readonly before: SessionState;
  /** true if the adapter ends the session on this envelope. */
  readonly ends: boolean;
}

/** Returns drafts to append; `state` already includes the content and the drafts of earlier checks. */
export type AcceptCheck = (just: AcceptedStep, state: SessionState) => readonly Draft[];

/** Stamps and folds the drafts in order. The adapter, then the hub, may append an envelope that closes the session. */
export function advance(before: SessionState | null, drafts: readonly Draft[], governance: Governance): AppliedUnit {
  const made = new Made();
  let state = before;
  for (const draft of drafts) state = append(made, state, draft, governance);
  if (state === null) throw new HubError('empty_unit', 'a unit needs at least one draft');
  const reason = hubReason(made.entries, state, governance);
  const after = reason === null ? state : append(made, state, closing(state, reason), governance);
  return { entries: made.entries, after };
}

/** The entries of a unit. Most units have one: a one-element literal avoids the spare capacity that `push` allocates. */
class Made {
  entries: Entry[] = NONE;

  add(entry: Entry): void {
    if (this.entries === NONE) this.entries = [entry];
    else this.entries.push(entry);
  }
}

const NONE: Entry[] = [];

/** Appends the tasks and delegations that end with a draft, the draft, its check results and any closing. */
function append(made: Made, given: SessionState | null, draft: Draft, governance: Governance): SessionState {
  const before = given === null ? null : withEnded(made, given, draft, governance);
  const envelope = stampEnvelope(draft, before, governance);
  const state = fold(before, envelope, governance);
  made.add(entryOf(envelope, state.head));
  const reason = adapterReason(envelope, state, governance);
  const checked =
    governance.checks === undefined || before === null || !isChecked(envelope.event_type)
      ? state
      : withChecks(made, { envelope, before, ends: reason !== null }, state, governance);
  return reason === null ? checked : append(made, checked, closing(checked, reason), governance);
}

function entryOf(envelope: Envelope, { turn, due_at, awaits }: Head): Entry {
  const entry: Entry = due_at === null ? { envelope, turn } : { envelope, turn, due: due_at };
  return awaits === undefined ? entry : { ...entry, awaits };
}

function withChecks(made: Made, just: AcceptedStep, after: SessionState, governance: Governance): SessionState {
  let state = after;
  for (const check of governance.checks ?? []) {
    for (const draft of check(just, state)) state = append(made, state, draft, governance);
  }
  return state;
}

/** Appends the ends of tasks and delegations before the draft that ends them. */
function withEnded(made: Made, before: SessionState, draft: Draft, governance: Governance): SessionState {
  if (before.tasks.live.length === 0 && before.delegations.length === 0) return before;
  const settled = ENDS.has(draft.event_type)
    ? settlementsAtEnd(before.metadata.session_id, before.delegations, String(draft.event_data.reason))
    : [];
  // Skip the accept checks for these envelopes.
  const unchecked = { ...governance, checks: undefined };
  let state = before;
  for (const each of [...tasksEndedBy(before, draft), ...settled]) state = append(made, state, each, unchecked);
  return state;
}

function closing({ metadata }: SessionState, reason: string): Draft {
  return endDraft(metadata, 'adapter_close', reason);
}

/** Builds the hub's draft for a lifecycle event; throws if the event has no effect in this state. */
export function endDraft(
  metadata: SessionMetadata,
  event: LifecycleEvent,
  reason: string,
  by: string | null = null,
): Draft {
  const next = nextLifecycle(metadata.state, event);
  const type = next === metadata.state ? undefined : END_TYPES.get(next);
  if (type === undefined) {
    throw new HubError('no_transition', `${event} does not end a session that is ${metadata.state}`);
  }
  return hubDraft(metadata.session_id, type, by === null ? { reason } : { reason, by });
}

const END_TYPES: ReadonlyMap<LifecycleState, HubEventType> = new Map([
  ['CLOSING', 'session.closing'],
  ['CLOSED', 'session.closed'],
  ['EXPIRED', 'session.expired'],
]);

const ENDS: ReadonlySet<string> = new Set(END_TYPES.values());

function stampEnvelope(draft: Draft, state: SessionState | null, governance: Governance): Envelope {
  const { envelope_id, created_at } = governance.stamp(state?.head.envelope_id ?? null);
  const depth = state?.metadata.depth ?? Number(draft.event_data.depth ?? 0);
  const seq = (state?.metadata.head_seq ?? 0) + 1;
  // Lists every member: this runs for every envelope, and a spread with extra members is a hundred times slower.
  const envelope: Envelope = {
    session_id: draft.session_id,
    sender_id: draft.sender_id,
    audience: draft.audience,
    event_type: draft.event_type,
    event_data: draft.event_data,
    causation_id: draft.causation_id,
    task_id: draft.task_id,
    traceparent: draft.traceparent,
    priority: draft.priority,
    idempotency_key: draft.idempotency_key,
    ttl_seconds: draft.ttl_seconds,
    envelope_id,
    seq,
    depth,
    created_at,
  };
  return Object.freeze(envelope);
}

/** Folds an envelope; any error is a defect of the adapter. */
function fold(state: SessionState | null, envelope: Envelope, governance: Governance): SessionState {
  try {
    const after = foldEnvelope(state, envelope, governance);
    checkTurn(after);
    checkAwaited(after);
    return after;
  } catch (thrown) {
    throw internalError(thrown, `folding ${envelope.event_type} into session ${envelope.session_id}`);
  }
}

/** The adapter's reason to close the session after this envelope; null if it stays open. */
function adapterReason(envelope: Envelope, after: SessionState, { adapter }: Governance): string | null {
  const { metadata, adapter_state } = after;
  const type = envelope.event_type;
  if (adapter === null || metadata.state !== 'ACTIVE' || !(isContent(type) || type === 'context.set')) return null;
  try {
    const result = adapter.onAccepted(metadata, envelope, adapter_state);
    return result.next_state === 'CLOSING' ? checkReason(result.close_reason ?? 'adapter_closed', metadata) : null;
  } catch (thrown) {
    throw internalError(thrown, `onAccepted of ${metadata.manifest.type}`);
  }
}

/** The hub's reason to close the session after the whole unit; null if it stays open. */
function hubReason(entries: readonly Entry[], { metadata }: SessionState, { maxEnvelopes }: Governance): string | null {
  if (metadata.state !== 'ACTIVE') return null;
  const changed = entries.some(({ envelope }) => envelope.event_type.startsWith('session.participant.'));
  const reason = changed ? membershipReason(metadata) : null;
  return reason ?? (metadata.head_seq >= maxEnvelopes ? 'log_full' : null);
}

function membershipReason(metadata: SessionMetadata): string | null {
  const { participants, manifest } = metadata;
  if (!participants.some(({ status }) => status === 'active')) return 'no_active_participants';
  return participants.filter(isMember).length < manifest.participants.min ? 'below_minimum' : null;
}

const MAX_REASON = 256;

/** Rejects an invalid turn of an adapter before it reaches the log and the clients. */
function checkTurn({ metadata, head: { turn } }: SessionState): void {
  if (turn === null) return;
  const holder = participantOf(metadata, turn.agent_id);
  const since = turn.since_seq;
  const isSeq = Number.isInteger(since) && since >= 1 && since <= metadata.head_seq;
  if (holder?.status === 'active' && isSeq) return;
  const { type } = metadata.manifest;
  throw new HubError(
    'bad_adapter',
    `${type}: expectedNext must name an active participant and the seq that gave the turn`,
  );
}

const MAX_AWAITED = 200;

function checkAwaited({ metadata, head: { awaits } }: SessionState): void {
  if (awaits === undefined) return;
  const { text, grant } = awaits;
  const isText = typeof text === 'string' && text !== '' && text.length <= MAX_AWAITED;
  if (isText && isWellFormed(text) && !/\p{Cc}/u.test(text) && Object.hasOwn(GRANTS, grant)) return;
  const expected = `a line of 1 to ${MAX_AWAITED} characters and a grant`;
  throw new HubError('bad_adapter', `${metadata.manifest.type}: awaits must give null, or ${expected}`);
}

function checkReason(reason: unknown, { manifest }: SessionMetadata): string {
  if (typeof reason === 'string' && reason.length <= MAX_REASON && isWellFormed(reason)) return reason;
  throw new HubError('bad_adapter', `${manifest.type}: close_reason must be text of at most ${MAX_REASON} characters`);
}
