/** Checks that an adapter consists of pure functions over plain data. */

import assert from 'node:assert/strict';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';
import { assertJson, assertSameOutcome, describeCall } from '../lib/assertions.ts';
import { createdMetadata } from '../lib/history.ts';
import { deepFreeze, usesClockOrRandom } from '../lib/purity.ts';
import { callMember } from '../lib/recording.ts';
import { allCalls, allPositions, type Trial } from './trial.ts';

export function initialStateIsFresh({ adapter, options }: Trial): void {
  const first = adapter.initialState(createdMetadata(adapter, options));
  assertJson(first, 'initialState');
  const copy = structuredClone(first);
  scribble(first);
  const second = adapter.initialState(createdMetadata(adapter, options));
  assert.deepStrictEqual(second, copy, 'changing a result of initialState changes its next result');
}

export function nothingIsMutated(trial: Trial): void {
  for (const call of allCalls(trial)) {
    const frozen = callMember(trial.adapter, call.member, deepFreeze(structuredClone(call.args)));
    const free = callMember(trial.adapter, call.member, structuredClone(call.args));
    assertSameOutcome(frozen, free, `${describeCall(call)} needs to change what it is given`);
  }
}

export function stateIsJson(trial: Trial): void {
  for (const { metadata, adapter_state } of allPositions(trial)) {
    assertJson(adapter_state, `the state at seq ${metadata.head_seq}`);
  }
}

export function replayIsLive({ adapter, histories }: Trial): void {
  const throughJson = (state: unknown): unknown => JSON.parse(JSON.stringify(state));
  for (const { log, positions } of histories()) {
    if (log.length === 0) continue;
    const live = positions.at(-1)?.adapter_state;
    assert.deepStrictEqual(
      foldLog(adapter, log, (state) => state),
      live,
      'the log replays to another state',
    );
    assert.deepStrictEqual(foldLog(adapter, log, throughJson), live, 'the log replays to another state from snapshots');
  }
}

/** Repeats the calls backwards, so that an adapter that remembers a later call changes an earlier result. */
export function nothingIsRemembered(trial: Trial): void {
  for (const call of allCalls(trial).toReversed()) {
    const again = callMember(trial.adapter, call.member, structuredClone(call.args));
    assertSameOutcome(again, call.outcome, `${describeCall(call)} gave another result when called again`);
  }
}

export function noClockNoChance(trial: Trial): void {
  const calls = allCalls(trial);
  const touched = usesClockOrRandom(() => {
    for (const { member, args } of calls) callMember(trial.adapter, member, args);
  });
  assert.deepStrictEqual(touched, [], `an adapter is pure, this one used ${touched.join(', ')}`);
}

function foldLog(adapter: CompleteAdapter, log: readonly Envelope[], keep: (state: unknown) => unknown): unknown {
  let position: SessionState | null = null;
  for (const envelope of log) {
    const after: SessionState = foldEnvelope(position, envelope, { adapter, epoch: 1 });
    position = { ...after, adapter_state: keep(after.adapter_state) };
  }
  return position?.adapter_state;
}

/** Overwrites every member that can be changed. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(scribble);
  for (const key of Object.keys(value)) Reflect.set(value, key, 'scribbled');
  if (Array.isArray(value)) Reflect.set(value, value.length, 'scribbled');
}
