import { discussion } from 'parley-hub/adapters/discussion';
import type { Evaluator, ExpectationEntry, Params, ViolationHandler } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { acksWithin, maxSilence, replyWithin, turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import { aCast, aWorld, invited, leap, logOf, MINUTE, opened, refused, SECOND, say, text, watch } from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';
import { adapters, fired, talk } from './scene.ts';

/** A discussion with an expectation of a role that two participants do not have. */
const ofRole: typeof discussion = {
  ...discussion,
  manifest: {
    ...discussion.manifest,
    type: 'of_role',
    expectations: [turnWithin(60, 'hide', { appliesTo: ['participant'] })],
  },
};

const entry = (name: string, more: Partial<ExpectationEntry> = {}): ExpectationEntry => ({
  name,
  on_violation: 'audit',
  params: { seconds: 5 },
  ...more,
});

describe('at creation', () => {
  const wrong: readonly [string, ExpectationEntry, string, string][] = [
    [
      'an evaluator',
      entry('min_turns'),
      'expectations.1.name',
      'an evaluator: acks_within, reply_within, turn_within, max_silence, max_turns, budget_within, no_progress',
    ],
    [
      'a handler',
      entry('max_silence', { on_violation: 'shout' }),
      'expectations.1.on_violation',
      'a handler: audit, warn, notify_session, hide, remove, auto_close',
    ],
    [
      'a parameter',
      entry('max_silence', { params: { seconds: 5, minutes: 1 } }),
      'expectations.1.params.minutes',
      'one of seconds',
    ],
    [
      'no time',
      entry('turn_within', { params: { seconds: 0 } }),
      'expectations.1.params.seconds',
      'more than 0 seconds (at most 36500 days)',
    ],
    [
      'a flag',
      entry('turn_within', { params: { seconds: 1, heartbeat: 'yes' } }),
      'expectations.1.params.heartbeat',
      'true or false',
    ],
    [
      'a non-participant',
      entry('turn_within', { applies_to: ['dave'] }),
      'expectations.1.applies_to.0',
      'a role or a participant: initiator, respondent, alice, bob',
    ],
    [
      'nobody',
      entry('turn_within', { applies_to: [] }),
      'expectations.1.applies_to',
      'at least one role or participant',
    ],
    [
      'a participant, where the session is the violator',
      entry('max_silence', { applies_to: ['bob'] }),
      'expectations.1.applies_to',
      'no list, because the violator of max_silence is the session',
    ],
  ];

  it.each(wrong)(
    '[EX4] rejects %s that does not exist, and names the valid ones',
    async (_what, bad, field, expected) => {
      const { world, alice, bob } = await aCast(['alice', 'bob']);
      const params = { type: 'conversation', participants: [bob.agentId], expectations: [maxSilence(9, 'audit'), bad] };
      await refused(world, alice.call('create_session', params), 'invalid_create', { field, expected });
    },
  );

  it('[EX4] rejects a manifest that names unregistered parts, unless other expectations are given', async () => {
    const world = await World.start({ adapters });
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const params: Params<'create_session'> = { type: 'conversation', participants: [bob.agentId], wait: 'created' };
    await refused(world, alice.call('create_session', params), 'invalid_create', {
      field: 'expectations.0.name',
      expected: 'an evaluator: none is registered',
    });
    await world.answer(alice.call('create_session', { ...params, expectations: [] }));
  });

  it('[EX4] warns of expectations that never fire, except those of the session type', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { adapters: [...adapters, ofRole] });
    const warnings = async (type: string, expectations?: readonly ExpectationEntry[]) => {
      const params = { type, participants: [bob.agentId], wait: 'created', expectations } as const;
      return (await world.answer(alice.call('create_session', params))).warnings;
    };
    expect(
      await warnings('discussion', [
        turnWithin(5, 'warn', { appliesTo: ['participant'] }),
        turnWithin(5, 'hide', { appliesTo: ['participant', 'initiator'] }),
        turnWithin(5, 'hide', { appliesTo: ['bob'] }),
        maxSilence(5, 'hide'),
        maxSilence(5, 'remove'),
        maxSilence(5, 'auto_close'),
      ]),
    ).toEqual([
      'expectations.0.applies_to: no participant is participant, so turn_within never fires',
      'expectations.3.on_violation: hide has no effect: the violator of max_silence is the session',
      'expectations.4.on_violation: remove has no effect: the violator of max_silence is the session',
    ]);
    expect(await warnings('of_role')).toEqual([]);
    expect(await warnings('of_role', [turnWithin(5, 'warn', { appliesTo: ['participant'] })])).toHaveLength(1);
  });

  it('[EX4] records the versions it starts with, and replaces names in applies_to by ids', async () => {
    const { world, bob, id } = await talk([turnWithin(9, 'warn', { appliesTo: ['bob', 'initiator'] })]);
    const created = logOf(world.store, id)[0]?.event_data;
    expect(created).toMatchObject({
      manifest: { expectations: [{ applies_to: [bob.agentId, 'initiator'] }] },
      versions: { evaluators: { turn_within: 1 }, handlers: { warn: 1 } },
    });
  });
});

describe('firing', () => {
  it('[EX2, L9] fires two entries of one evaluator, each once at its time', async () => {
    const { world, bob, id } = await talk([turnWithin(10, 'audit'), turnWithin(5, 'audit')]);
    await world.pass(MINUTE);
    expect(fired(world, id)).toEqual([
      [1, [bob.agentId], '00:05.000'],
      [0, [bob.agentId], '00:10.000'],
    ]);
  });

  it('[EX2] fires again for the next wait', async () => {
    const { world, bob, carol, id } = await talk([turnWithin(5, 'audit')]);
    await world.pass(6 * SECOND);
    await say(world, bob, id, 'sorry');
    await world.pass(6 * SECOND);
    expect(fired(world, id).map(([, who]) => who)).toEqual([[bob.agentId], [carol.agentId]]);
  });

  it('[EX2] writes one unit per due entry, in order, each on the state after the previous one', async () => {
    const { world, bob, carol, id } = await talk([
      turnWithin(5, 'hide'),
      turnWithin(5, 'audit'),
      replyWithin(5, 'audit'),
    ]);
    await leap(world, 10 * SECOND);
    expect(fired(world, id).map(([index, who]) => [index, who])).toEqual([
      [0, [bob.agentId]],
      // carol's turn has just begun; bob is hidden and owes nothing.
      [2, [carol.agentId]],
    ]);
  });

  it('[EX3] stops after an entry that closes', async () => {
    const { world, id } = await talk([turnWithin(5, 'auto_close'), turnWithin(5, 'audit')]);
    await leap(world, 10 * SECOND);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX2] applies_to selects by role and by name', async () => {
    const expectations = [
      replyWithin(5, 'audit', { appliesTo: ['carol'] }),
      replyWithin(5, 'audit', { appliesTo: ['participant'] }),
      replyWithin(5, 'audit', { appliesTo: ['initiator'] }),
    ];
    const { world, bob, carol, id } = await talk(expectations);
    await world.pass(10 * SECOND);
    expect(fired(world, id).map(([index, who]) => [index, who])).toEqual([
      [0, [carol.agentId]],
      [1, [bob.agentId, carol.agentId]],
    ]);
  });

  it('[EX2] a hidden participant owes no answer, and starts again on return', async () => {
    const { world, id } = await talk([replyWithin(5, 'audit', { appliesTo: ['bob'] })]);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await world.pass(10 * SECOND);
    await world.answer(world.hub.returnParticipant(id, 'bob'));
    await world.pass(10 * SECOND);
    expect(fired(world, id)).toEqual([]);
  });

  it('[EX5] a post at the same moment is judged first if it comes first, and nothing is due', async () => {
    const { world, bob, id } = await talk([turnWithin(5, 'audit')]);
    world.clock.advance(5 * SECOND);
    const posted = watch(bob.call('post', text(id, 'just in time')));
    world.hub.sweep();
    await world.settle();
    expect(posted.state).toBe('answered');
    expect(fired(world, id)).toEqual([]);
  });

  it('[EX5, L9] a restart before the sweep loses nothing and repeats nothing', async () => {
    const { world, bob, id } = await talk([turnWithin(5, 'audit')]);
    world.hold = true;
    await leap(world, 5 * SECOND);
    world.hold = false;
    const kept = () => true;
    await world.crash(() => false, kept, kept);
    expect(fired(world, id)).toEqual([]);
    await world.pass(MINUTE);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:35.000']]);
    await world.restart();
    await world.pass(MINUTE);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX5] fires for an evicted session, and reads nothing of sessions that are not due', async () => {
    const store = new CountingStore();
    const { world, alice, bob, carol, id } = await talk([turnWithin(5, 'audit')], { store });
    for (let i = 0; i < 20; i++) await opened(world, alice, [bob, carol], { type: 'discussion' });
    world.hub.evictIdle();
    await leap(world, SECOND);
    const before = store.asked.heads;
    await leap(world, 4 * SECOND);
    for (let i = 0; i < 10; i++) await world.settle();
    expect(fired(world, id)).toHaveLength(1);
    expect(store.asked.heads - before).toBeLessThanOrEqual(3);
  });
});

describe('custom evaluators and handlers', () => {
  const always: Evaluator = {
    name: 'always',
    version: 1,
    checkParams: () => null,
    waits: ({ metadata, pacing: { opened } }) =>
      metadata.state === 'ACTIVE' && opened !== null
        ? [{ agent_id: null, since_seq: opened.seq, since_ms: opened.at, due_ms: opened.at + 1000 }]
        : [],
  };
  const breaks = (): never => {
    throw new Error('oops');
  };
  const farewell: ViolationHandler = {
    name: 'farewell',
    version: 1,
    act: () => [{ kind: 'close', reason: 'goodbye' }],
  };

  it('[EX3] a custom handler closes with its own reason', async () => {
    const parts = { evaluators: [always], handlers: [farewell] };
    const { world, alice, id } = await talk([entry('always', { on_violation: 'farewell', params: {} })], parts);
    await world.pass(2 * SECOND);
    const { session } = await world.answer(alice.call('get_session', { session_id: id }));
    expect([session.state, session.close_reason]).toEqual(['CLOSED', 'goodbye']);
  });

  const faults: readonly [string, Partial<WorldOptions>][] = [
    ['an evaluator', { evaluators: [...EVALUATORS, { ...always, waits: breaks }], handlers: HANDLERS }],
    ['a description', { evaluators: [...EVALUATORS, { ...always, describe: breaks }], handlers: HANDLERS }],
    [
      'a handler',
      {
        evaluators: [...EVALUATORS, always],
        handlers: [...HANDLERS.slice(1), { name: 'audit', version: 1, act: breaks }],
      },
    ],
  ];

  it.each(faults)(
    '[EX10, L8] %s that throws is reported once per pause, and affects nothing else',
    async (_what, options) => {
      const expectations = [entry('always', { params: {} }), turnWithin(5, 'notify_session')];
      const { world, id } = await talk(expectations, options);
      await world.pass(3 * MINUTE);
      expect(fired(world, id).map(([index]) => index)).toEqual([1]);
      const failures = (await world.hub.audit({ limit: 500 })).filter(({ kind }) => kind === 'expectation_failed');
      expect(failures.map(({ detail }) => detail)).toEqual(
        Array(failures.length).fill({ entry: 0, name: 'always', on_violation: 'audit', message: 'oops' }),
      );
      // Immediately, and after a minute; the next would be after two more.
      expect(failures.length).toBe(2);
    },
  );

  it.each([
    ['nothing', null, 'an evaluator is an object'],
    ['a bad name', { ...always, name: 'Not so' }, 'name of an evaluator'],
    ['a bad version', { ...always, version: 0 }, 'version of evaluator always'],
    ['an invalid describe', { ...always, describe: 5 }, 'evaluator always: describe must be a function, got 5'],
    ['no waits', { ...always, waits: 7 }, 'evaluator always: waits must be a function, got 7'],
  ])('[EX7] an evaluator with %s is rejected at registration', async (_what, bad, message) => {
    const world = await aWorld();
    expect(() => world.hub.registerEvaluator(bad as Evaluator)).toThrow(message);
  });

  it('[EX7] a second registration of one name and version is rejected', async () => {
    const world = await aWorld();
    world.hub.registerEvaluator(always);
    world.hub.registerHandler(farewell);
    expect(() => world.hub.registerEvaluator(always)).toThrow('evaluator always version 1 is registered already');
    expect(() => world.hub.registerHandler(farewell)).toThrow('handler farewell version 1 is registered already');
  });
});

it('[LC5, EX1] acks_within that closes replaces the invite timeout, unless it applies to some only', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob']);
  const all = await invited(world, alice, [bob], { expectations: [acksWithin(40, 'auto_close')] });
  const some = await invited(world, alice, [bob], {
    expectations: [acksWithin(40, 'auto_close', { appliesTo: ['initiator'] })],
  });
  await world.pass(MINUTE);
  expect([all, some].map((id) => logOf(world.store, id).at(-1)?.event_data.reason)).toEqual([
    'expectation_violated:acks_within',
    'invite_timeout',
  ]);
});
