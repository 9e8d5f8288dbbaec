/** May this envelope be sent, and what does it change? Judging, folding and reading a log all take this one path. */

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

/** Throws a ProtocolError unless it may. Times matter to nothing that is judged, so any will do. */
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
  const ask = askOf(metadata, metadata, placed, state);
  requireSender(ask, metadata, rule, event_type);
  happens(ask, rule);
}

/** What an envelope of the log comes to; null = the run has nothing to do with it. */
export function outcomeOf(created: Created, envelope: Envelope, state: GovernedState): Outcome | null {
  const rule = ruleOf(envelope.event_type);
  if (rule === null) return null;
  try {
    return happens(askOf(created, null, envelope, state), rule);
  } catch (thrown) {
    // What was judged before it was written is never refused here; a fold takes everything all the same.
    if (isProtocolError(thrown)) return null;
    throw thrown;
  }
}

type Placed = Draft & Pick<Envelope, 'seq' | 'created_at'>;

function askOf(created: Created, metadata: SessionMetadata | null, placed: Placed, state: GovernedState): MoveInput {
  const { sender_id: sender, event_data: data, seq, created_at: now } = placed;
  return { metadata, rules: rulesOf(created), state, sender, data, seq, now };
}

function happens(ask: MoveInput, rule: TypeRule): Outcome {
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

/** A process of the runner that has lost its lease without noticing is kept out. */
function requireFence({ lease }: GovernedState, fence: unknown): void {
  if (fence === (lease?.fence ?? null)) return;
  const held = lease === null ? 'nobody has the lease' : `${lease.owner} has it under fence ${lease.fence}`;
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

/** What one envelope adds to a run in that state; null = nothing. */
export function recordsFrom(created: Created, envelope: Envelope, before: GovernedState): RunRecord | null {
  const found = outcomeOf(created, envelope, before);
  if (found === null) return null;
  const events = found.events.map((draft, at) => ({ event_id: eventId(envelope, at), ...draft }));
  return { ...found, events };
}

/** `created`: what the session was created with. */
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

/** Made of the envelope, so that the same event has the same id whenever it is read. */
function eventId({ envelope_id }: Envelope, at: number): string {
  return `evt_${sha256(`${envelope_id}:${at}`).slice(0, 16)}`;
}
