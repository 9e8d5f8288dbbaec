// Evaluators, handlers and listeners that throw, hang or answer nonsense: each is reported, and affects only its own entry.

import { discussion } from 'parley-hub/adapters/discussion';
import type { Evaluator, ViolationHandler, Wait, WaitContext } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import type { World, WorldOptions } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aCast, leap, logOf, opened, recordEvents, refused, SECOND, say } from '../scene.ts';

const breaks = (): never => {
  throw new Error('oops');
};

const wait = (more: object = {}): Wait => ({ agent_id: null, since_seq: 1, since_ms: 0, due_ms: 1000, ...more });

/** Waits since the start of time, so it is due at the first check. */
function evaluator(waits: (context: WaitContext) => unknown, describes?: () => unknown): Evaluator {
  return {
    name: 'odd',
    version: 1,
    checkParams: () => null,
    waits: (context) => (context.metadata.state === 'ACTIVE' ? waits(context) : []) as readonly Wait[],
    ...(describes === undefined ? {} : { describe: describes as () => string }),
  };
}

function handler(act: () => unknown): ViolationHandler {
  return { name: 'odd', version: 1, act: act as () => [] };
}

const GOOD = { evaluator: evaluator(() => [wait()]), handler: handler(() => []) };

const oddWaits: readonly (readonly [string, (context: WaitContext) => unknown])[] = [
  ['a throw', breaks],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a text', () => 'soon'],
  ['an object', () => ({ length: 1 })],
  ['a promise', async () => [wait()]],
  ['a promise that fails', async () => breaks()],
  ['a list of null', () => [null]],
  ['a list of texts', () => ['soon']],
  ['no due time', () => [wait({ due_ms: undefined })]],
  ['NaN as due time', () => [wait({ due_ms: Number.NaN })]],
  ['an infinite due time', () => [wait({ due_ms: Number.POSITIVE_INFINITY })]],
  ['an unprintable due time', () => [wait({ due_ms: 1e300 })]],
  ['a negative due time', () => [wait({ due_ms: -1 })]],
  ['a text as due time', () => [wait({ due_ms: '1000' })]],
  ['a due time before its start', () => [wait({ since_ms: 1001 })]],
  ['no start', () => [wait({ since_ms: undefined })]],
  ['half a seq', () => [wait({ since_seq: 1.5 })]],
  ['a future seq', () => [wait({ since_seq: 10_000 })]],
  ['no seq', () => [wait({ since_seq: null })]],
  ['a non-participant', () => [wait({ agent_id: 'f'.repeat(32) })]],
  ['no agent', () => [wait({ agent_id: undefined })]],
  ['a number as agent', () => [wait({ agent_id: 7 })]],
  ['two waits of one', () => [wait(), wait({ since_seq: 2 })]],
  ['a hundred thousand waits', () => Array.from({ length: 100_000 }, () => wait())],
];

const oddDetails: readonly (readonly [string, () => unknown])[] = [
  ['a throw', breaks],
  ['a number', () => 7],
  ['a promise that fails', async () => breaks()],
  ['half a character', () => '\ud800'],
  ['a huge text', () => 'x'.repeat(65_537)],
];

const oddEffects: readonly (readonly [string, () => unknown])[] = [
  ['a throw', breaks],
  ['nothing', () => undefined],
  ['a text', () => 'close'],
  ['a promise', async () => []],
  ['a promise that fails', async () => breaks()],
  ['a list of null', () => [null]],
  ['an unknown effect', () => [{ kind: 'explode' }]],
  ['nobody to deliver to', () => [{ kind: 'deliver', to: 'the moon' }]],
  ['nobody to hide', () => [{ kind: 'hide' }]],
  ['a number to remove', () => [{ kind: 'remove', agent_id: 7 }]],
  ['no reason to close', () => [{ kind: 'close' }]],
  ['an empty reason', () => [{ kind: 'close', reason: '' }]],
  ['a reason with two lines', () => [{ kind: 'close', reason: 'a\nb' }]],
  ['a reason with control characters', () => [{ kind: 'close', reason: 'a\u001bc' }]],
  ['a reason that is too long', () => [{ kind: 'close', reason: 'x'.repeat(257) }]],
  ['a reason with half a character', () => [{ kind: 'close', reason: '\ud800' }]],
  ['a good effect and a bad one', () => [{ kind: 'close', reason: 'so' }, { kind: 'close' }]],
];

interface Odd {
  readonly evaluator: Evaluator;
  readonly handler: ViolationHandler;
}

/** Two discussions in which bob has the turn; the first has an odd expectation too. */
async function two(odd: Odd, options: Partial<WorldOptions> = {}) {
  const evaluators = [...EVALUATORS, odd.evaluator];
  const handlers = [...HANDLERS, odd.handler];
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    {},
    { adapters: [...ADAPTERS, discussion], evaluators, handlers, ...options },
  );
  const entry = turnWithin(5, 'notify_session');
  const strange = { name: 'odd', on_violation: 'odd', params: {} };
  const ids: string[] = [];
  for (const expectations of [[strange, entry], [entry]]) {
    const id = await opened(world, alice, [bob, carol], { type: 'discussion', expectations });
    await say(world, alice, id, 'hello');
    ids.push(id);
  }
  return { world, alice, bob, carol, ids: ids as [string, string] };
}

function fired(world: World, id: string): readonly unknown[] {
  return logOf(world.store, id)
    .filter(({ event_type }) => event_type === 'expectation.violated')
    .map(({ event_data }) => event_data.entry);
}

async function expectContained(odd: Odd): Promise<void> {
  const { world, bob, ids } = await two(odd);
  const failures = recordEvents(world, 'expectationFailed', ({ session_id, entry, name }) => [session_id, entry, name]);
  await leap(world, 5 * SECOND);
  // In one sweep: the other entry and the other session.
  expect(fired(world, ids[0])).toEqual([1]);
  expect(fired(world, ids[1])).toEqual([0]);
  expect(failures).toEqual([[ids[0], 0, 'odd']]);
  const audited = (await world.hub.audit({ limit: 500 })).filter(({ kind }) => kind === 'expectation_failed');
  expect(audited.map(({ session_id, detail }) => [session_id, detail.entry])).toEqual([[ids[0], 0]]);
  await say(world, bob, ids[0], 'next');
  await world.restart();
  expect(world.hub.health().ready).toBe(true);
}

describe('an evaluator that returns', () => {
  it.each(oddWaits)('[EX10, L8] %s fires nothing, is reported, and affects nothing else', (_what, waits) =>
    expectContained({ evaluator: evaluator(waits), handler: GOOD.handler }),
  );

  it.each(oddDetails)(
    '[EX10, L8] %s as description fires nothing, is reported, and affects nothing else',
    (_what, words) => expectContained({ evaluator: evaluator(() => [wait()], words), handler: GOOD.handler }),
  );

  it('[EX10] a valid wait fires', async () => {
    const { world, ids } = await two(GOOD);
    await leap(world, 5 * SECOND);
    expect(fired(world, ids[0])).toEqual([0, 1]);
  });

  it('[EX4, L8] a rejected promise for parameters fails the creation of that session alone', async () => {
    const { world, alice, bob, carol } = await two(GOOD);
    world.hub.registerEvaluator({ ...GOOD.evaluator, name: 'waits', checkParams: (async () => breaks()) as never });
    const expectations = [{ name: 'waits', on_violation: 'audit', params: {} }];
    const participants = [bob.agentId, carol.agentId];
    const call = alice.call('create_session', { type: 'discussion', participants, expectations });
    await refused(world, call, 'internal');
    await opened(world, alice, [bob, carol], { type: 'discussion' });
  });
});

describe('a handler that returns', () => {
  it.each(oddEffects)('[EX10, L8] %s fires nothing, is reported, and affects nothing else', (_what, act) =>
    expectContained({ evaluator: GOOD.evaluator, handler: handler(act) }),
  );

  it('[EX3, EX10] non-participants to hide and remove skips them', async () => {
    const nobody = 'f'.repeat(32);
    const act = () => [
      { kind: 'hide', agent_id: nobody },
      { kind: 'remove', agent_id: '__proto__' },
    ];
    const { world, ids } = await two({ ...GOOD, handler: handler(act) });
    await leap(world, 5 * SECOND);
    expect(fired(world, ids[0])).toEqual([0, 1]);
  });
});

describe('a listener that', () => {
  it.each([
    ['throws', breaks],
    ['fails later', async () => breaks()],
  ])('[EV2, L8] %s is logged, and every session is still checked', async (_what, listener) => {
    const logged: string[] = [];
    const log = { info() {}, warn() {}, error: (message: string) => void logged.push(message) };
    const { world, alice, ids } = await two(GOOD, { log });
    world.hub.on('expectationViolated', listener);
    world.hub.on('envelopePosted', listener);
    const before = alice.notifies(ids[1]).length;
    await leap(world, 5 * SECOND);
    expect(fired(world, ids[0])).toEqual([0, 1]);
    expect(fired(world, ids[1])).toEqual([0]);
    expect(alice.notifies(ids[1])).toHaveLength(before + 1);
    expect(logged.filter((message) => message === 'a listener of expectationViolated threw')).toHaveLength(3);
    const audited = (await world.hub.audit({ limit: 500 })).filter(({ kind }) => kind === 'expectation_violated');
    expect(audited).toHaveLength(3);
  });
});
