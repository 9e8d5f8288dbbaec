import { discussion } from 'parley-hub/adapters/discussion';
import type { Evaluator, ExpectationEntry, Params, ViolationHandler } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { acksWithin, maxSilence, replyWithin, turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import {
  ADAPTERS,
  aWorld,
  HOUR,
  invited,
  leap,
  logOf,
  MINUTE,
  opened,
  refusal,
  SECOND,
  say,
  text,
  watch,
} from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';

const adapters = [...ADAPTERS, discussion];

/** A discussion that expects something of a role which two do not have. */
const ofRole: typeof discussion = {
  ...discussion,
  manifest: {
    ...discussion.manifest,
    type: 'of_role',
    expectations: [turnWithin(60, 'hide', { appliesTo: ['participant'] })],
  },
};

/** alice, bob and carol in a discussion; alice has spoken, so bob has the turn since seq 7. */
async function talk(expectations: readonly ExpectationEntry[], options: Partial<WorldOptions> = {}) {
  const world = await aWorld({}, { adapters, ...options });
  const [alice, bob, carol] = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')];
  const id = await opened(world, alice, [bob, carol], { type: 'discussion', expectations });
  await say(world, alice, id, 'hello');
  return { world, alice, bob, carol, id };
}

function fired(world: World, id: string): readonly (readonly [entry: unknown, who: readonly unknown[], at: string])[] {
  return logOf(world.store, id)
    .filter(({ event_type }) => event_type === 'expectation.violated')
    .map(({ event_data, created_at }) => {
      const violators = event_data.violators as readonly { agent_id: string | null }[];
      return [event_data.entry, violators.map(({ agent_id }) => agent_id), created_at.slice(14, 23)] as const;
    });
}

const entry = (name: string, more: Partial<ExpectationEntry> = {}): ExpectationEntry => ({
  name,
  on_violation: 'audit',
  params: { seconds: 5 },
  ...more,
});

describe('at create', () => {
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
      'a stranger',
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
      'somebody, where the session is the violator',
      entry('max_silence', { applies_to: ['bob'] }),
      'expectations.1.applies_to',
      'no list, because the violator of max_silence is the session',
    ],
  ];

  it.each(wrong)(
    '[EX4] %s that is not known is refused, and what there is is named',
    async (_what, bad, field, expected) => {
      const world = await aWorld();
      const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
      const params = { type: 'conversation', participants: [bob.agentId], expectations: [maxSilence(9, 'audit'), bad] };
      expect(await refusal(world, alice.call('create_session', params))).toMatchObject({
        code: 'invalid_create',
        details: { field, expected },
      });
    },
  );

  it('[EX4] a manifest that names what is not registered cannot be used; with other expectations it can', async () => {
    const world = await World.start({ adapters });
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const params: Params<'create_session'> = { type: 'conversation', participants: [bob.agentId], wait: 'created' };
    expect(await refusal(world, alice.call('create_session', params))).toMatchObject({
      code: 'invalid_create',
      details: { field: 'expectations.0.name', expected: 'an evaluator: none is registered' },
    });
    await world.answer(alice.call('create_session', { ...params, expectations: [] }));
  });

  it('[EX4] warns of what can never happen, and not of what its type brings along', async () => {
    const world = await aWorld({}, { adapters: [...adapters, ofRole] });
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
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

  it('[EX4] the versions it begins with are recorded, and names in applies_to become ids', async () => {
    const { world, bob, id } = await talk([turnWithin(9, 'warn', { appliesTo: ['bob', 'initiator'] })]);
    const created = logOf(world.store, id)[0]?.event_data;
    expect(created).toMatchObject({
      manifest: { expectations: [{ applies_to: [bob.agentId, 'initiator'] }] },
      versions: { evaluators: { turn_within: 1 }, handlers: { warn: 1 } },
    });
  });
});

describe('firing', () => {
  it('[EX2, L9] two entries of one evaluator both fire, each once, each at its time', async () => {
    const { world, bob, id } = await talk([turnWithin(10, 'audit'), turnWithin(5, 'audit')]);
    await world.pass(MINUTE);
    expect(fired(world, id)).toEqual([
      [1, [bob.agentId], '00:05.000'],
      [0, [bob.agentId], '00:10.000'],
    ]);
  });

  it('[EX2] the next wait fires anew', async () => {
    const { world, bob, carol, id } = await talk([turnWithin(5, 'audit')]);
    await world.pass(6 * SECOND);
    await say(world, bob, id, 'sorry');
    await world.pass(6 * SECOND);
    expect(fired(world, id).map(([, who]) => who)).toEqual([[bob.agentId], [carol.agentId]]);
  });

  it('[EX2] entries due together make a unit each, in order, the second on what the first left', async () => {
    const { world, bob, carol, id } = await talk([
      turnWithin(5, 'hide'),
      turnWithin(5, 'audit'),
      replyWithin(5, 'audit'),
    ]);
    await leap(world, 10 * SECOND);
    expect(fired(world, id).map(([index, who]) => [index, who])).toEqual([
      [0, [bob.agentId]],
      // carol's turn has only begun; bob is hidden and owes nothing
      [2, [carol.agentId]],
    ]);
  });

  it('[EX3] one that closes leaves nothing to those after it', async () => {
    const { world, id } = await talk([turnWithin(5, 'auto_close'), turnWithin(5, 'audit')]);
    await leap(world, 10 * SECOND);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX2] applies_to leaves the others alone, by role and by name', async () => {
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

  it('[EX2] who was hidden owes no answer, and begins anew when it is back', async () => {
    const { world, id } = await talk([replyWithin(5, 'audit', { appliesTo: ['bob'] })]);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await world.pass(10 * SECOND);
    await world.answer(world.hub.returnParticipant(id, 'bob'));
    await world.pass(10 * SECOND);
    expect(fired(world, id)).toEqual([]);
  });

  it('[EX5] a post in the same moment is judged first if it comes first, and then nothing is due', async () => {
    const { world, bob, id } = await talk([turnWithin(5, 'audit')]);
    world.clock.advance(5 * SECOND);
    const posted = watch(bob.call('post', text(id, 'just in time')));
    world.hub.sweep();
    await world.settle();
    expect(posted.state).toBe('answered');
    expect(fired(world, id)).toEqual([]);
  });

  it('[EX5, L9] a restart between what is due and the sweep loses nothing and repeats nothing', async () => {
    const { world, bob, id } = await talk([turnWithin(5, 'audit')]);
    world.hold = true;
    await leap(world, 5 * SECOND);
    world.hold = false;
    await world.crash(
      () => false,
      () => true,
      () => true,
    );
    expect(fired(world, id)).toEqual([]);
    await world.pass(MINUTE);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:35.000']]);
    await world.restart();
    await world.pass(MINUTE);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX5] a session that is not in memory fires, and nothing is read of those that are not due', async () => {
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

describe('grace', () => {
  it('[EX6, L9] after a start nothing fires for 30 s, whenever it began to be waited for; what holds then fires once', async () => {
    const { world, bob, carol, id } = await talk([turnWithin(5, 'audit')]);
    await world.pass(1);
    await world.restart();
    await world.pass(30 * SECOND - 1);
    expect(fired(world, id)).toEqual([]);
    await world.pass(1);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:30.001']]);
    await world.restart();
    const back = await world.peer('bob');
    await say(world, back, id, 'now');
    await world.pass(30 * SECOND - 1);
    expect(fired(world, id)).toHaveLength(1);
    await world.pass(1);
    expect(fired(world, id).at(-1)).toEqual([0, [carol.agentId], '01:00.001']);
    await world.pass(2 * MINUTE);
    expect(fired(world, id)).toHaveLength(2);
  });

  it('[EX6, L9] what is answered within the grace never fires, and what is due after it is on time', async () => {
    const { world, bob, carol, id } = await talk([turnWithin(5, 'audit')]);
    await world.restart();
    const [first, second] = [await world.peer('bob'), await world.peer('carol')];
    await say(world, first, id, 'one');
    await world.pass(20 * SECOND);
    await say(world, second, id, 'two');
    await world.pass(8 * SECOND);
    await say(world, await world.peer('alice'), id, 'three');
    await world.pass(5 * SECOND - 1);
    expect(fired(world, id)).toEqual([]);
    await world.pass(1);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:33.000']]);
    expect(carol.agentId).toBe(second.agentId);
  });

  it('[EX6] a session that is new after a start on live ones has the grace too', async () => {
    const { world } = await talk([]);
    await world.restart();
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const id = await opened(world, alice, [bob], { expectations: [maxSilence(5, 'audit')] });
    await world.pass(30 * SECOND - 1);
    expect(fired(world, id)).toEqual([]);
    await world.pass(1);
    expect(fired(world, id)).toEqual([[0, [null], '00:30.000']]);
  });

  it('[EX6] a hub that starts where no session was live has no downtime behind it, and no grace', async () => {
    const { world, alice, id } = await talk([]);
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    await world.restart();
    const [again, bob] = [await world.peer('alice'), await world.peer('bob')];
    const other = await opened(world, again, [bob], { expectations: [maxSilence(5, 'audit')] });
    await world.pass(5 * SECOND);
    expect(fired(world, other)).toEqual([[0, [null], '00:05.000']]);
  });

  it.each([HOUR, -HOUR, 6 * SECOND, -6 * SECOND])(
    '[EX6, L9] after a jump of the clock by %d ms nothing fires for 30 s, then once',
    async (jump) => {
      const { world, id } = await talk([turnWithin(10, 'audit')], {});
      await world.pass(SECOND);
      world.clock.jump(jump);
      await world.pass(30 * SECOND);
      expect(fired(world, id)).toEqual([]);
      await world.pass(2 * HOUR);
      expect(fired(world, id)).toHaveLength(1);
    },
  );

  it.each([
    [-10 * MINUTE, 31 * SECOND],
    [-4 * SECOND, 27 * SECOND],
  ])('[EX6, L9] a grace is over by its own time, though the clock is set by %d ms meanwhile', async (jump, left) => {
    const { world, id } = await talk([turnWithin(10, 'audit')]);
    world.clock.jump(HOUR);
    await world.pass(5 * SECOND);
    world.clock.jump(jump);
    await world.pass(left);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX6] a small step of the clock is none', async () => {
    const { world, id } = await talk([turnWithin(10, 'audit')]);
    await world.pass(SECOND);
    world.clock.jump(4 * SECOND);
    await world.pass(5 * SECOND);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX7, LC13] without its evaluator a session is unavailable and names it; back again it has 30 s', async () => {
    const { world: before, id } = await talk([turnWithin(5, 'audit')]);
    const store = before.store.crash();
    const world = await World.start({
      adapters,
      evaluators: [],
      handlers: HANDLERS,
      store,
      clock: before.clock,
      seed: 9,
    });
    const alice = await world.peer('alice');
    await world.pass(2 * MINUTE);
    expect((await world.answer(alice.call('get_session', { session_id: id }))).unavailable).toBe(
      'not registered: evaluator turn_within version 1; register it with hub.registerEvaluator, hub.registerHandler or createHub({evaluators, handlers})',
    );
    for (const evaluator of EVALUATORS) world.hub.registerEvaluator(evaluator);
    await world.pass(30 * SECOND);
    expect(fired(world, id)).toEqual([]);
    await world.pass(2 * SECOND);
    expect(fired(world, id)).toHaveLength(1);
  });
});

describe('a turn that is worked on', () => {
  const report = (world: World, peer: Peer, id: string) =>
    world.answer(peer.call('report_progress', { session_id: id, note: 'reading' }));

  it('[EX8] lasts longer with each progress, six times as long at most', async () => {
    const { world, bob, id } = await talk([turnWithin(20, 'audit'), turnWithin(20, 'audit', { heartbeat: false })]);
    for (let i = 0; i < 14; i++) {
      await world.pass(10 * SECOND);
      if (i < 13) await report(world, bob, id);
    }
    expect(fired(world, id).map(([index, , at]) => [index, at])).toEqual([
      [1, '00:20.000'],
      [0, '02:00.000'],
    ]);
  });

  it('[EX8] is logged every 10 s at most, and goes to nobody', async () => {
    const { world, alice, bob, id } = await talk([]);
    expect(await report(world, bob, id)).toEqual({ logged: true });
    await world.pass(10 * SECOND - 1);
    expect(await report(world, bob, id)).toEqual({ logged: false });
    await world.pass(1);
    expect(await report(world, bob, id)).toEqual({ logged: true });
    expect(alice.notifies().filter(({ envelope }) => envelope.event_type.startsWith('task.'))).toEqual([]);
  });

  it.each([1, 3, 8, 10])(
    '[EX8] lasts longer also if its time is %d s, and is logged no more than that needs',
    async (seconds) => {
      const { world, bob, id } = await talk([
        turnWithin(seconds, 'audit'),
        turnWithin(1, 'audit', { appliesTo: ['carol'] }),
        turnWithin(0.5, 'audit', { heartbeat: false }),
      ]);
      const everyMs = (seconds * SECOND) / 4;
      for (let ms = 0; ms < 10 * seconds * SECOND; ms += everyMs) {
        await world.pass(everyMs);
        await report(world, bob, id);
      }
      const ofEntry = fired(world, id).filter(([index]) => index === 0);
      expect(ofEntry.map(([, , at]) => at)).toEqual([
        `${seconds === 10 ? '01:00' : `00:${String(6 * seconds).padStart(2, '0')}`}.000`,
      ]);
      const logged = logOf(world.store, id).filter(({ event_type }) => event_type === 'task.progress');
      // Twice in each of six times, and then every 10 s as ever.
      expect(logged.length).toBeGreaterThanOrEqual(11);
      expect(logged.length).toBeLessThanOrEqual(12 + Math.ceil((4 * seconds) / 10));
    },
  );

  it('[EX8, EX9] only who has the turn may report on it', async () => {
    const { world, alice, id } = await talk([]);
    for (const call of [
      () => alice.call('report_progress', { session_id: id }),
      () => alice.call('report_turn_failure', { session_id: id, reason: 'tired' }),
    ]) {
      expect(await refusal(world, call())).toMatchObject({ code: 'not_your_turn' });
    }
  });

  it('[EX9] that is reported to have failed violates entries with on_failure in the next sweep, and no others', async () => {
    const { world, bob, carol, id } = await talk([
      turnWithin(60, 'hide', { onFailure: true }),
      turnWithin(60, 'audit'),
    ]);
    await world.answer(bob.call('report_turn_failure', { session_id: id, reason: 'no credit' }));
    await world.pass(SECOND);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:01.000']]);
    const { turn } = await world.answer(carol.call('get_session', { session_id: id }));
    expect(turn?.agent_id).toBe(carol.agentId);
  });
});

describe('a failure of a turn', () => {
  it.each([
    ['where something is expected', [turnWithin(60, 'audit')]],
    ['where nothing is', []],
  ])('[EX9] that is reported again, %s, changes nothing and answers with the first', async (_where, expectations) => {
    const { world, bob, carol, id } = await talk(expectations);
    const report = (peer: Peer, reason: string) =>
      world.answer(peer.call('report_turn_failure', { session_id: id, reason }));
    const first = await report(bob, 'no credit');
    expect(await report(bob, 'still none')).toEqual(first);
    await world.pass(SECOND);
    expect(await report(bob, 'no credit')).toEqual(first);
    await say(world, bob, id, 'after all');
    const next = await report(carol, 'nor I');
    expect(next.seq).toBeGreaterThan(first.seq);
    expect(logOf(world.store, id).filter(({ event_type }) => event_type === 'task.failed')).toHaveLength(2);
  });
});

describe('parts of one’s own', () => {
  const always: Evaluator = {
    name: 'always',
    version: 1,
    checkParams: () => null,
    waits: ({ metadata, pacing }) =>
      metadata.state === 'ACTIVE' && pacing.opened !== null
        ? [
            {
              agent_id: null,
              since_seq: pacing.opened.seq,
              since_ms: pacing.opened.at,
              due_ms: pacing.opened.at + 1000,
            },
          ]
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

  it('[EX3] a handler of one’s own closes with its own reason', async () => {
    const { world, alice, id } = await talk([entry('always', { on_violation: 'farewell', params: {} })], {
      evaluators: [always],
      handlers: [farewell],
    });
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
    '[EX10, L8] %s that throws is reported now and then, and stops nothing else',
    async (_what, options) => {
      const expectations = [entry('always', { params: {} }), turnWithin(5, 'notify_session')];
      const { world, id } = await talk(expectations, options);
      await world.pass(3 * MINUTE);
      expect(fired(world, id).map(([index]) => index)).toEqual([1]);
      const failures = (await world.hub.audit({ limit: 500 })).filter(({ kind }) => kind === 'expectation_failed');
      expect(failures.map(({ detail }) => detail)).toEqual(
        Array(failures.length).fill({ entry: 0, name: 'always', on_violation: 'audit', message: 'oops' }),
      );
      // At once, after a minute; then after two more.
      expect(failures.length).toBe(2);
    },
  );

  it.each([
    ['nothing', null, 'an evaluator is an object'],
    ['a bad name', { ...always, name: 'Not so' }, 'name of an evaluator'],
    ['a bad version', { ...always, version: 0 }, 'version of evaluator always'],
    ['a describe that is none', { ...always, describe: 5 }, 'evaluator always: describe must be a function, got 5'],
    ['no waits', { ...always, waits: 7 }, 'evaluator always: waits must be a function, got 7'],
  ])('[EX7] an evaluator that is %s is refused when it is registered', async (_what, bad, message) => {
    const world = await aWorld();
    expect(() => world.hub.registerEvaluator(bad as Evaluator)).toThrow(message);
  });

  it('[EX7] a second behaviour under one name and version is refused', async () => {
    const world = await aWorld();
    world.hub.registerEvaluator(always);
    world.hub.registerHandler(farewell);
    expect(() => world.hub.registerEvaluator(always)).toThrow('evaluator always version 1 is registered already');
    expect(() => world.hub.registerHandler(farewell)).toThrow('handler farewell version 1 is registered already');
  });
});

it('[LC5, EX1] acks_within that closes is the only end of its invites, and one for some is not', async () => {
  const world = await aWorld();
  const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
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
