/** Checks of an adapter's decisions: creating, posting, closing and turns. */

import assert from 'node:assert/strict';
import { isProtocolError } from '../../core/lib/errors.ts';
import { isPlainObject } from '../../core/lib/json.ts';
import { participantOf } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import { assertName, assertReturned, describeCall, describeOutcome, doing } from '../lib/assertions.ts';
import { createdMetadata, draftOf, play } from '../lib/history.ts';
import { seededRandom } from '../lib/random.ts';
import { type Call, callMember, callsOf } from '../lib/recording.ts';
import { allCalls, allPositions, type Trial } from './trial.ts';

export function createIsJudged({ adapter, options }: Trial): void {
  for (const example of [options, ...(options.goodCreates ?? [])]) {
    const outcome = callMember(adapter, 'validateCreate', [createdMetadata(adapter, example)]);
    assert.ok('value' in outcome, `validateCreate refused a legal session: ${describeOutcome(outcome)}`);
  }
  for (const example of options.badCreates ?? []) {
    const outcome = callMember(adapter, 'validateCreate', [createdMetadata(adapter, example)]);
    assert.ok('thrown' in outcome, `validateCreate accepted ${JSON.stringify(example)}`);
    assert.ok(isProtocolError(outcome.thrown), `validateCreate threw ${describeOutcome(outcome)}`);
  }
}

export function sendsAreJudged(trial: Trial): void {
  for (const call of callsOf(allCalls(trial), 'validateSend')) {
    const { outcome } = call;
    if ('value' in outcome) continue;
    assert.ok(isProtocolError(outcome.thrown), `${describeCall(call)} threw ${describeOutcome(outcome)}`);
    assert.notEqual(outcome.thrown.message, '', `${describeCall(call)} rejected without a reason`);
  }
}

/** An accepted packet type that never changes the state is not folded; the adapter must reject it. */
export function unfoldedIsRefused(trial: Trial): void {
  const folds = callsOf(allCalls(trial), 'fold');
  for (const type of ['msg.packet', 'context.set']) {
    const accepted = folds.filter(({ args: [envelope] }) => envelope.event_type === type);
    const isIdle = accepted.length > 0 && !accepted.some(changedState);
    assert.ok(!isIdle, `"${type}" is accepted but never changes the state; refuse it in validateSend`);
  }
}

export function resultsAreValid(trial: Trial): void {
  for (const call of callsOf(allCalls(trial), 'onAccepted')) {
    assertReturned(call);
    if (!('value' in call.outcome)) continue;
    const result = call.outcome.value;
    assert.ok(isPlainObject(result), `${describeCall(call)} must return an object, got ${result}`);
    const { next_state, close_reason, ...rest } = result;
    assert.deepStrictEqual(rest, {}, 'onAccepted answers next_state and close_reason, nothing else');
    assert.ok(next_state === undefined || next_state === 'CLOSING', `next_state must be CLOSING, got ${next_state}`);
    if (close_reason === undefined) continue;
    assertName(close_reason, 'close_reason');
    assert.equal(next_state, 'CLOSING', 'a close_reason needs next_state CLOSING');
  }
}

export function turnsAreReal(trial: Trial): void {
  for (const call of callsOf(allCalls(trial), 'expectedNext')) {
    assertReturned(call);
    const turn = 'value' in call.outcome ? call.outcome.value : null;
    if (turn === null) continue;
    const [{ participants, head_seq }] = call.args;
    const active = participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id);
    assert.ok(active.includes(turn.agent_id), `expected ${turn.agent_id}, but active are ${active.join(', ')}`);
    const { since_seq } = turn;
    const isInLog = Number.isInteger(since_seq) && since_seq >= 1 && since_seq <= head_seq;
    assert.ok(isInLog, `since_seq must be a seq up to ${head_seq}, got ${since_seq}`);
  }
  for (const { positions } of trial.histories()) positions.forEach(turnPassedBySend);
}

/** If a post moves the turn, `since_seq` must be its seq: the hub then checks that the new holder can see the post. */
function turnPassedBySend(after: SessionState, index: number, positions: readonly SessionState[]): void {
  const before = positions[index - 1];
  if (before === undefined || before.metadata.participants !== after.metadata.participants) return;
  const turn = after.head.turn;
  if (turn === null || turn.agent_id === before.head.turn?.agent_id) return;
  assert.equal(turn.since_seq, after.head.seq, `since_seq of a turn is the seq of the send that passed it on`);
}

export function turnsCanBeTaken(trial: Trial): void {
  const accepted = callsOf(allCalls(trial), 'onAccepted').length;
  assert.ok(accepted > 0, 'nobody could post anything; pass suitable "drafts" and "knobs" to the suite');
  for (const position of allPositions(trial)) takeTurn(trial, position);
}

function takeTurn({ adapter, options }: Trial, position: SessionState): void {
  const { metadata, adapter_state: state, head } = position;
  const sender = head.turn === null ? undefined : participantOf(metadata, head.turn.agent_id);
  if (sender === undefined) return;
  const random = seededRandom(metadata.head_seq);
  const round =
    options.takeTurn?.({ metadata, state, sender, random }) ?? adapter.buildRound(metadata, state, { text: 'my turn' });
  let current = position;
  for (const next of round) {
    const refused = `${sender.agent_id} holds the turn at seq ${current.head.seq}, but may not send "${next.event_type}"`;
    const { after, result } = doing(refused, () => play(adapter, current, draftOf(sender.agent_id, next)));
    if (result?.next_state === 'CLOSING') return;
    current = after;
  }
}

function changedState({ args: [, before], outcome }: Call<'fold'>): boolean {
  return 'value' in outcome && JSON.stringify(outcome.value) !== JSON.stringify(before);
}
