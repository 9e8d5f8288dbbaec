/** Judges whether an envelope may be sent, and what it changes. Folding and reading a log use the same code. */

import { isProtocolError, ProtocolError } from '../../core/lib/errors.ts';
import { sha256 } from '../../core/lib/sha256.ts';
import type { Draft, Envelope } from '../../core/records/session/envelope.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { RunEvent } from '../engine/events/events.ts';
import { getOwn } from '../engine/lib/unknown-record.ts';
import { findActiveTurn, turnNotActive } from '../engine/turns/active.ts';
import { type MoveInput, type Outcome, refusalError, sessionError } from './moves/move.ts';
import { isOfFamily, ruleOf, type TypeRule } from './moves/table.ts';
import { expectedNow, followUpsOf } from './open-items.ts';
import { type Created, holderOf, rulesOf } from './state/rules.ts';
import { text } from './state/shape.ts';
import { type GovernedState, NEW_SESSION } from './state/state.ts';

/** Throws a ProtocolError if the draft may not be sent. The judgement never depends on time, so any time will do. */
export function judgeSend(metadata: SessionMetadata, draft: Draft, state: GovernedState): void {
  const { event_type } = draft;
  const rule = ruleOf(event_type);
  if (rule === null) {
    if (!isOfFamily(event_type)) return;
    throw new ProtocolError(`there is no "${event_type}" in a governed session`, { event_type });
  }
  if (draft.audience !== null) {
    throw new ProtocolError(`"${event_type}" is for everybody in the session`, { field: 'audience' });
  }
  const placed = { ...draft, seq: metadata.head_seq + 1, created_at: metadata.created_at };
  const ask = inputOf(metadata, metadata, placed, state);
  requireSender(ask, metadata, rule, event_type);
  perform(ask, rule);
}

/** Returns the outcome of a logged envelope; null if the envelope does not concern the run. */
export function outcomeOf(created: Created, envelope: Envelope, state: GovernedState): Outcome | null {
  const rule = ruleOf(envelope.event_type);
  if (rule === null) return null;
  try {
    return perform(inputOf(created, null, envelope, state), rule);
  } catch (thrown) {
    // Logged envelopes were judged before, but a fold must accept any log.
    if (isProtocolError(thrown)) return null;
    throw thrown;
  }
}

type Placed = Draft & Pick<Envelope, 'seq' | 'created_at'>;

function inputOf(created: Created, metadata: SessionMetadata | null, placed: Placed, state: GovernedState): MoveInput {
  const { sender_id: sender, event_data: data, seq, created_at: now } = placed;
  return { metadata, rules: rulesOf(created), state, sender, data, seq, now };
}

function perform(ask: MoveInput, rule: TypeRule): Outcome {
  const { rules, state, seq } = ask;
  const moved = rule.move(ask);
  const last_seq = moved.state.run === state.run ? state.last_seq : seq;
  const follow_ups = [...moved.state.follow_ups, ...followUpsOf(ask, moved)];
  const next = { ...moved.state, last_seq, follow_ups };
  return { ...moved, state: { ...next, expected: expectedNow(rules, next, seq) } };
}

function requireSender(ask: MoveInput, metadata: SessionMetadata, rule: TypeRule, type: string): void {
  const { rules, state, sender, data } = ask;
  if (rule.from === 'approver') return;
  if (rule.from === 'runner') {
    requireIs(metadata, sender, rules.runner, `"${type}" comes from the runner`);
    if (rule.unfenced !== true) requireFence(state, getOwn(data, 'fence') ?? null);
    return;
  }
  const turnId = text(getOwn(data, 'turn_id'), 'turn_id');
  const turn = findActiveTurn(state.run, turnId);
  if (turn === null) throw refusalError(turnNotActive(turnId));
  const holder = holderOf(rules, turn.assigned_role);
  requireIs(metadata, sender, holder, `the result of ${turnId} comes from who holds ${turn.assigned_role}`);
}

function requireIs(metadata: SessionMetadata, sender: string, expected: string, rule: string): void {
  if (sender === expected) return;
  const [wanted, got] = [nameOf(metadata, expected), nameOf(metadata, sender)];
  throw new ProtocolError(`${rule}: expected '${wanted}', got '${got}'`, { expected }, 'not_your_turn');
}

/** Rejects posts of a runner process that lost its lease without noticing. */
function requireFence({ lease }: GovernedState, fence: unknown): void {
  if (fence === (lease?.fence ?? null)) return;
  const held = lease === null ? 'the lease is free' : `${lease.owner} holds it with fence ${lease.fence}`;
  throw sessionError('fenced_out', `fence: expected ${lease?.fence ?? 'none'}, got ${String(fence)}: ${held}`, {
    field: 'fence',
    fence: lease?.fence ?? null,
  });
}

export interface RunRecord {
  readonly state: GovernedState;
  readonly history: Outcome['history'];
  readonly ledger: Outcome['ledger'];
  readonly repoDecisions: Outcome['repoDecisions'];
  readonly events: readonly RunEvent[];
}

/** Returns null if the envelope adds no records. */
export function recordsFrom(created: Created, envelope: Envelope, before: GovernedState): RunRecord | null {
  const found = outcomeOf(created, envelope, before);
  if (found === null) return null;
  const events = found.events.map((draft, at) => ({ event_id: eventId(envelope, at), ...draft }));
  return { ...found, events };
}

/** `created` is the creation data of the session. */
export function readRun(created: Created, envelopes: Iterable<Envelope>): RunRecord {
  let state = NEW_SESSION;
  const history: Outcome['history'][number][] = [];
  const ledger: Outcome['ledger'][number][] = [];
  const repoDecisions: Outcome['repoDecisions'][number][] = [];
  const events: RunEvent[] = [];
  for (const envelope of envelopes) {
    const added = recordsFrom(created, envelope, state);
    if (added === null) continue;
    state = added.state;
    history.push(...added.history);
    ledger.push(...added.ledger);
    repoDecisions.push(...added.repoDecisions);
    events.push(...added.events);
  }
  return { state, history, ledger, repoDecisions, events };
}

/** Derives the id from the envelope, so that it is the same on every read. */
function eventId({ envelope_id }: Envelope, at: number): string {
  return `evt_${sha256(`${envelope_id}:${at}`).slice(0, 16)}`;
}
