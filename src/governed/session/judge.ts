/** May this be sent, and what comes of it: the one path that judging, folding and reading a log all take. */

import type { Draft, Envelope } from '../../core/records/session/envelope.ts';
import { isProtocolError, ProtocolError } from '../../core/lib/errors.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { own } from '../engine/lib/unknown-record.ts';
import { notOut, turnOut } from '../engine/turns/active.ts';
import { type Ask, no, type Outcome, refusalError } from './moves/move.ts';
import { expectedNow, followUpsOf } from './open-items.ts';
import { type Created, holderOf, rulesOf } from './state/rules.ts';
import { text } from './state/shape.ts';
import type { GovernedState } from './state/state.ts';
import { isOfFamily, ruleOf, type TypeRule } from './moves/table.ts';

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

function askOf(created: Created, metadata: SessionMetadata | null, placed: Placed, state: GovernedState): Ask {
  const { sender_id: sender, event_data: data, seq, created_at: now } = placed;
  return { metadata, rules: rulesOf(created), state, sender, data, seq, now };
}

function happens(ask: Ask, rule: TypeRule): Outcome {
  const { rules, state, seq } = ask;
  const moved = rule.move(ask);
  const last_seq = moved.state.run === state.run ? state.last_seq : seq;
  const follow_ups = [...moved.state.follow_ups, ...followUpsOf(ask, moved)];
  const next = { ...moved.state, last_seq, follow_ups };
  return { ...moved, state: { ...next, expected: expectedNow(rules, next, seq) } };
}

function requireSender(ask: Ask, metadata: SessionMetadata, rule: TypeRule, type: string): void {
  const { rules, state, sender, data } = ask;
  if (rule.from === 'approver') return;
  if (rule.from === 'runner') {
    requireIs(metadata, sender, rules.runner, `"${type}" comes from the runner`);
    if (rule.unfenced !== true) requireFence(state, own(data, 'fence') ?? null);
    return;
  }
  const turnId = text(own(data, 'turn_id'), 'turn_id');
  const turn = turnOut(state.run, turnId);
  if (turn === null) throw refusalError(notOut(turnId));
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
  throw no('fenced_out', `fence: expected ${lease?.fence ?? 'none'}, got ${String(fence)}: ${held}`, {
    field: 'fence',
    fence: lease?.fence ?? null,
  });
}
