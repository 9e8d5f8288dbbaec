import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, roundRobin, sequence, TARGETS, type TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { type Condition, finish, handoff, type JsonObject, type Params, type Target } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { CreatedData } from '../../../src/core/records/session/session.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import { panel } from '../panel.ts';
import { aCast, EXPECTATIONS, invited, logOf, opened, refusal, say, standing, text, types } from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';

const OPTIONS: WorldOptions = {
  adapters: [discussion, workflow],
  conditions: CONDITIONS,
  targets: TARGETS,
  ...EXPECTATIONS,
};

const scene = (more: Partial<WorldOptions> = {}) => aCast(['alice', 'bob', 'carol'], {}, { ...OPTIONS, ...more });

function graphWith(given: Partial<TransitionGraph>): TransitionGraph {
  return { initial_speaker: 'alice', transitions: [], default_target: null, max_turns: null, ...given };
}

const rule = (when: string, then: string, args: JsonObject = {}) => ({
  when: { name: when, args },
  then: { name: then, args: then === 'terminate' ? { reason: 'ended' } : {} },
  priority: 0,
});

const asked = (graph: unknown, more: JsonObject = {}): Params<'create_session'> => ({
  type: 'workflow',
  participants: ['bob', 'carol'],
  wait: 'created',
  knobs: { graph: graph as JsonObject, ...more },
});

const createdIn = (world: World, id: string) => logOf(world.store, id)[0]?.event_data as unknown as CreatedData;
const get = (world: World, peer: Peer, session_id: string) => world.answer(peer.call('get_session', { session_id }));
const post = (world: World, peer: Peer, session_id: string, content: { event_type: string; event_data: JsonObject }) =>
  world.answer(peer.call('post', { session_id, ...content }));

/** Another hub on the same disk. */
async function reopened(world: World, more: Partial<WorldOptions> = {}): Promise<World> {
  const keep = () => true;
  const store = world.store.crash(keep, keep, keep);
  return World.start({ ...OPTIONS, store, clock: world.clock, seed: 99, ...more });
}

describe('creating a workflow', () => {
  it('[TG5, RE7] records ids for names, defaults, and the version of every part it uses', async () => {
    const { world, alice, bob, carol } = await scene();
    const id = await opened(world, alice, [bob, carol], {
      type: 'workflow',
      knobs: { graph: sequence(['bob', 'carol']) },
    });
    const { knobs, versions } = createdIn(world, id);
    expect(knobs).toEqual({
      graph: sequence([bob.agentId, carol.agentId]),
      context_vars: {},
      close_by: 'any',
    });
    expect(versions).toEqual({
      adapter: 1,
      conditions: { always: 1 },
      targets: { next_in: 1, terminate: 1 },
      evaluators: { turn_within: 1 },
      handlers: { warn: 1, auto_close: 1 },
    });
    expect((await get(world, alice, id)).turn).toMatchObject({ agent_id: bob.agentId });
  });

  it('[TG9] records no parts for a session that uses none', async () => {
    const { world, alice, bob } = await scene();
    const id = await invited(world, alice, [bob], { type: 'discussion', expectations: [] });
    expect(createdIn(world, id).versions).toEqual({ adapter: 1 });
    expect(createdIn(world, id).knobs).toEqual({ ordering: 'round_robin', close_by: 'any' });
    const knobs = { graph: { initial_speaker: 'bob', default_target: { name: 'stay' } } };
    const other = await invited(world, alice, [bob], { type: 'workflow', knobs, expectations: [] });
    expect(createdIn(world, other).versions).toEqual({ adapter: 1, targets: { stay: 1 } });
  });

  it('[TG6] returns warnings, also for a repeat under the same key', async () => {
    const { world, alice } = await scene();
    const params = { ...asked(roundRobin(['alice', 'bob'])), idempotency_key: 'k' };
    const first = await world.answer(alice.call('create_session', params));
    expect(first.warnings).toEqual([expect.stringMatching(/^knobs\.graph: nothing in it ends the session/)]);
    const again = await world.answer(alice.call('create_session', params));
    expect(again).toMatchObject({ duplicate: true, warnings: first.warnings });
    const fine = await world.answer(alice.call('create_session', asked(sequence(['alice', 'bob']))));
    expect(fine.warnings).toEqual([]);
  });

  it.each<[string, Params<'create_session'>, string, string]>([
    [
      'an unregistered agent',
      asked(sequence(['alice', 'mallory'])),
      'invalid_create',
      'knobs.graph.transitions.0.then.args.agents.1: expected a participant (alice, bob, carol), got "mallory"',
    ],
    [
      'an agent that is not invited',
      { ...asked(sequence(['alice', 'carol'])), participants: ['bob'] },
      'invalid_create',
      'knobs.graph.transitions.0.then.args.agents.1: expected a participant (alice, bob), got "carol"',
    ],
    [
      'an unknown condition',
      asked(graphWith({ transitions: [rule('sometimes', 'stay')] })),
      'invalid_create',
      `knobs.graph.transitions.0.when.name: expected a registered condition (${CONDITIONS.map(({ name }) => name).join(', ')}), got "sometimes"`,
    ],
    [
      'an unknown target',
      asked(graphWith({ default_target: { name: 'leave', args: {} } })),
      'invalid_create',
      `knobs.graph.default_target.name: expected a registered target (${TARGETS.map(({ name }) => name).join(', ')}), got "leave"`,
    ],
    ['no graph', { ...asked(null), knobs: {} }, 'invalid_create', 'knobs.graph: expected an object, got nothing'],
    [
      'max_turns 0',
      asked(graphWith({ max_turns: 0 })),
      'invalid_create',
      'knobs.graph.max_turns: expected a whole number of at least 1, or null, got 0',
    ],
    [
      '64 KiB of knobs',
      asked(sequence(['alice', 'bob']), { context_vars: { big: 'x'.repeat(65_536) } }),
      'too_large',
      'params.knobs: 65954 bytes of JSON; at most 65536 are allowed',
    ],
    [
      'an unknown knob',
      asked(sequence(['alice', 'bob']), { speed: 3 }),
      'invalid_create',
      'knobs.speed: expected one of graph, context_vars, close_by, got "speed"',
    ],
    [
      'an unknown ordering',
      { ...asked(null), type: 'discussion', knobs: { ordering: 'by_age' } },
      'invalid_create',
      'knobs.ordering: expected "round_robin" or "raise_hand" or "moderated" or "random", got "by_age"',
    ],
    [
      'no rounds',
      { ...asked(null), type: 'discussion', knobs: { rounds: 0 } },
      'invalid_create',
      'knobs.rounds: expected at least 1, got 0',
    ],
    [
      'half a round',
      { ...asked(null), type: 'discussion', knobs: { rounds: 1.5 } },
      'invalid_create',
      'knobs.rounds: expected a whole number, got 1.5',
    ],
    [
      'too few participants',
      { ...asked(null), type: 'discussion', knobs: {}, participants: ['alice'] },
      'invalid_create',
      'participants: discussion takes 2 to 256, the creator included; got 1',
    ],
  ])('[TG2, DI1, WF1, LC2] rejects %s and leaves nothing behind', async (_fault, params, code, message) => {
    const { world, alice } = await scene();
    expect(await refusal(world, alice.call('create_session', params))).toMatchObject({ code, message });
    expect(world.hub.health().sessions.live).toBe(0);
  });
});

describe('a session with turns', () => {
  it('[DI3, WF3] rejects posts out of turn, and all posts after the end', async () => {
    const { world, alice, bob, carol } = await scene();
    const talk = await opened(world, alice, [bob, carol], { type: 'discussion', knobs: { rounds: 1 } });
    await say(world, alice, talk, 'one');
    expect(await refusal(world, carol.call('post', text(talk, 'x')))).toEqual({
      code: 'not_your_turn',
      message: "discussion expects 'bob' to speak, got 'carol'",
      details: { expected: bob.agentId },
    });
    await say(world, bob, talk, 'two');
    await say(world, carol, talk, 'three');
    expect(await standing(world, alice, talk)).toBe('CLOSED (rounds_complete): alice active, bob active, carol active');
    expect(await refusal(world, alice.call('post', text(talk, 'x')))).toMatchObject({
      code: 'session_closed',
      details: { close_reason: 'rounds_complete' },
    });
    const flow = await opened(world, alice, [bob, carol], {
      type: 'workflow',
      knobs: { graph: sequence(['bob', 'alice']) },
    });
    await post(world, bob, flow, finish({ reason: 'solved' }));
    expect(await standing(world, alice, flow)).toMatch(/^CLOSED \(solved\)/);
  });

  it('[WF4, AM6] rejects a handoff that the next holder does not receive', async () => {
    const { world, alice, bob, carol } = await scene();
    const id = await opened(world, alice, [bob, carol], {
      type: 'workflow',
      knobs: { graph: roundRobin(['alice', 'bob']) },
    });
    const whisper = { session_id: id, audience: [carol.agentId], ...handoff('bob') };
    expect(await refusal(world, alice.call('post', whisper))).toMatchObject({
      code: 'protocol_error',
      message:
        "this gives the turn to 'bob', who is not in its audience; add 'bob' to the audience, or send it to everyone",
      details: { field: 'audience' },
    });
    const { turn } = await world.answer(alice.call('post', { ...whisper, audience: [bob.agentId] }));
    expect(turn).toEqual({ agent_id: bob.agentId, since_seq: 7 });
  });

  it('[DI4, WF7, LC12] continues when the holder of the turn leaves for good', async () => {
    const { world, alice, bob, carol } = await scene();
    const talk = await opened(world, alice, [bob, carol], { type: 'discussion' });
    const flow = await opened(world, alice, [bob, carol], {
      type: 'workflow',
      knobs: { graph: roundRobin(['bob', 'alice', 'carol']) },
    });
    await say(world, alice, talk, 'one');
    await world.answer(bob.call('unregister', {}));
    for (const [id, next, then] of [
      [talk, carol, alice],
      [flow, alice, carol],
    ] as const) {
      const { turn, session } = await get(world, alice, id);
      expect(turn).toEqual({ agent_id: next.agentId, since_seq: session.head_seq });
      expect((await say(world, next, id, 'mine')).turn?.agent_id).toBe(then.agentId);
    }
  });

  it('[WF11, DI2] accepts a thousand posts without a read', async () => {
    const store = new CountingStore();
    const { world, alice, bob, carol } = await scene({ store });
    const talk = await opened(world, alice, [bob, carol], { type: 'discussion' });
    const flow = await opened(world, alice, [bob, carol], {
      type: 'workflow',
      knobs: { graph: roundRobin(['alice', 'bob', 'carol']) },
    });
    const before = { ...store.asked };
    for (let turn = 0; turn < 500; turn++) {
      const speaker = [alice, bob, carol][turn % 3] ?? alice;
      await say(world, speaker, talk, 'hm');
      await post(world, speaker, flow, {
        event_type: 'msg.packet',
        event_data: { body: 'hm', context_updates: { set: { turn } } },
      });
    }
    expect(store.asked).toEqual(before);
    expect(logOf(world.store, flow)).toHaveLength(506);
  });

  it('[L3, RC3] is the same after a restart, from its log and from a snapshot', async () => {
    const { world, alice, bob, carol } = await scene({ limits: { snapshotLength: 8 } });
    const knobs = { graph: roundRobin(['alice', 'bob', 'carol']), context_vars: { n: 0 } };
    const flow = await opened(world, alice, [bob, carol], { type: 'workflow', knobs });
    for (let n = 1; n <= 40; n++) {
      const speaker = [alice, bob, carol][(n - 1) % 3] ?? alice;
      await post(world, speaker, flow, {
        event_type: 'msg.packet',
        event_data: { body: 'hm', context_updates: { set: { n } } },
      });
    }
    const live = await get(world, alice, flow);
    world.hub.evictIdle();
    await world.settle();
    expect(await world.hub.checkSnapshot(flow)).toBe(null);
    expect(await get(world, alice, flow)).toEqual(live);
    const again = await reopened(world);
    const [bobAgain] = [await again.peer('bob')];
    // The holder of the turn also gets the tools to pass it on.
    const tools = [expect.objectContaining({ name: 'handoff' }), expect.objectContaining({ name: 'finish' })];
    expect(await get(again, bobAgain, flow)).toEqual({ ...live, tools });
    expect((await say(again, bobAgain, flow, 'on')).turn?.agent_id).toBe(carol.agentId);
  });
});

/** Holds at every third turn. */
const lucky: Condition = { name: 'lucky', version: 1, holds: (_args, { turn_count }) => turn_count % 3 === 0 };
/** Chooses the last active participant. */
const last: Target = {
  name: 'last',
  version: 2,
  choose: (_args, { active }) => ({ kind: 'speaker', agent_id: active.at(-1) ?? '' }),
};

function cyclic(): unknown {
  const loop: { kind: string; loop?: unknown } = { kind: 'end' };
  loop.loop = loop;
  return loop;
}

describe('custom conditions and targets', () => {
  const graph = graphWith({ transitions: [rule('lucky', 'terminate'), rule('always', 'last')] });

  async function playing() {
    const { world, alice, bob, carol } = await scene();
    world.hub.registerCondition(lucky);
    world.hub.registerTarget(last);
    const id = await opened(world, alice, [bob, carol], { type: 'workflow', knobs: { graph } });
    expect((await say(world, alice, id, 'one')).turn?.agent_id).toBe(carol.agentId);
    return { world, id, carol };
  }

  it('[TG9] are used at their newest version, which the session keeps', async () => {
    const { world, id } = await playing();
    expect(createdIn(world, id).versions).toMatchObject({
      adapter: 1,
      conditions: { lucky: 1, always: 1 },
      targets: { terminate: 1, last: 2 },
    });
    world.hub.registerCondition({ ...lucky, version: 2, holds: () => true });
    world.hub.evictIdle();
    await world.settle();
    const carol = await world.peer('carol');
    expect((await say(world, carol, id, 'two')).turn?.agent_id).toBe(carol.agentId);
    expect((await say(world, carol, id, 'three')).turn).toBe(null);
    const other = await opened(world, await world.peer('alice'), [], {
      type: 'workflow',
      participants: ['bob'],
      required_acks: 1,
      knobs: { graph },
    });
    expect(createdIn(world, other).versions).toMatchObject({ conditions: { lucky: 2 } });
  });

  it('[TG9, LC13] a session that lacks one is unavailable until it is registered, and names it', async () => {
    const before = await playing();
    const world = await reopened(before.world);
    const carol = await world.peer('carol');
    const next = 'register it with hub.registerCondition, hub.registerTarget or createHub({conditions, targets})';
    const reason = `not registered: condition lucky version 1, target last version 2; ${next}`;
    expect(await get(world, carol, before.id)).toMatchObject({ unavailable: reason, session: { state: 'ACTIVE' } });
    expect(await refusal(world, carol.call('post', text(before.id, 'x')))).toMatchObject({
      code: 'unavailable',
      message: `session ${before.id} is unavailable: ${reason}`,
    });
    world.hub.registerCondition(lucky);
    expect((await get(world, carol, before.id)).unavailable).toBe(`not registered: target last version 2; ${next}`);
    world.hub.registerTarget({ ...last, version: 3 });
    expect((await get(world, carol, before.id)).unavailable).toBe(`not registered: target last version 2; ${next}`);
    world.hub.registerTarget(last);
    expect((await get(world, carol, before.id)).unavailable).toBe(null);
    expect((await say(world, carol, before.id, 'two')).seq).toBe(9);
    const away = await reopened(world);
    await away.answer((await away.peer('carol')).call('close_session', { session_id: before.id }));
    await away.settle();
    expect(types(logOf(away.store, before.id)).at(-1)).toBe('session.closed');
  });

  it('[TG9, AM7] one that throws fails the post as internal and leaves the log unchanged', async () => {
    const holds = () => {
      throw new Error('no luck');
    };
    const { world, alice, bob } = await scene({ conditions: [...CONDITIONS, { ...lucky, name: 'broken', holds }] });
    const knobs = { graph: graphWith({ transitions: [rule('broken', 'stay')] }) };
    const id = await opened(world, alice, [bob], { type: 'workflow', knobs });
    expect(await refusal(world, alice.call('post', text(id, 'x')))).toMatchObject({
      code: 'internal',
      message: expect.stringContaining('condition "broken" version 1 in knobs.graph.transitions.0.when threw no luck'),
    });
    expect(logOf(world.store, id)).toHaveLength(4);
  });

  it.each<[string, () => unknown, string]>([
    ['a promise', () => Promise.reject(new Error('late')), 'a promise'],
    ['words', () => 'yes', '"yes"'],
    ['nothing', () => undefined, 'nothing'],
  ])(
    '[TG10, AM7] a condition that returns %s fails the post as internal, naming itself and its rule',
    async (_what, answer, received) => {
      const odd: Condition = { ...lucky, name: 'odd', holds: answer as Condition['holds'] };
      const inner = { name: 'not', args: { condition: { name: 'odd', args: {} } } };
      const { world, alice, bob } = await scene({ conditions: [...CONDITIONS, odd] });
      const transitions = [{ when: inner, then: { name: 'stay', args: {} }, priority: 0 }];
      const id = await opened(world, alice, [bob], { type: 'workflow', knobs: { graph: graphWith({ transitions }) } });
      expect(await refusal(world, alice.call('post', text(id, 'x')))).toMatchObject({
        code: 'internal',
        message: `folding msg.text into session ${id} failed: condition "odd" version 1 in knobs.graph.transitions.0.when.args.condition gave ${received}; expected true or false`,
      });
    },
  );

  it.each<[string, () => unknown, string]>([
    ['a promise', () => Promise.reject(new Error('late')), 'a promise'],
    ['a name', () => 'bob', '"bob"'],
    ['nothing', () => undefined, 'nothing'],
    ['an unknown kind', () => ({ kind: 'jump' }), '{"kind":"jump"}'],
    ['an end without a reason', () => ({ kind: 'end' }), '{"kind":"end"}'],
    ['a cycle', cyclic, 'a value of type object'],
  ])(
    '[TG10, AM7] a target that returns %s fails the post as internal, naming itself and its rule',
    async (_what, answer, received) => {
      const odd: Target = { ...last, name: 'odd', choose: answer as Target['choose'] };
      const { world, alice, bob } = await scene({ targets: [...TARGETS, odd] });
      const knobs = { graph: graphWith({ default_target: { name: 'odd', args: {} } }) };
      const id = await opened(world, alice, [bob], { type: 'workflow', knobs });
      expect(await refusal(world, alice.call('post', text(id, 'x')))).toMatchObject({
        code: 'internal',
        message: `folding msg.text into session ${id} failed: target "odd" version 2 in knobs.graph.default_target gave ${received}; expected {kind: "speaker", agent_id}, {kind: "end", reason} with a reason of text of 1 to 256 characters, or null`,
      });
    },
  );

  it.each<[string, () => unknown]>([
    ['throws', () => JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('late'))],
  ])('[WF13] a target that %s does not prevent hiding, leaving or removal', async (_fault, choose) => {
    const broken: Target = { ...last, name: 'broken', choose: choose as Target['choose'] };
    const { world, alice, bob, carol } = await scene({ targets: [...TARGETS, broken] });
    const knobs = { graph: graphWith({ initial_speaker: 'bob', default_target: { name: 'broken', args: {} } }) };
    const id = await opened(world, alice, [bob, carol], { type: 'workflow', knobs });
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    expect((await get(world, alice, id)).turn?.agent_id).toBe(carol.agentId);
    await world.answer(carol.call('leave_session', { session_id: id }));
    expect((await get(world, alice, id)).turn?.agent_id).toBe(alice.agentId);
    expect(await refusal(world, alice.call('post', text(id, 'x')))).toMatchObject({ code: 'internal' });
    const live = await get(world, alice, id);
    const again = await reopened(world, { targets: [...TARGETS, broken] });
    expect(await get(again, await again.peer('alice'), id)).toEqual(live);
  });

  it.each<[string, () => unknown, string]>([
    ['throws', () => JSON.parse('{'), 'threw '],
    ['returns text', () => 'no', 'gave "no"; expected an object {field, expected, received} of texts, or null'],
    ['returns a promise', () => Promise.reject(new Error('late')), 'gave a promise; expected an object'],
  ])(
    '[TG10, AM7] checkArgs that %s fails the creation as internal, naming itself and its rule',
    async (_fault, checkArgs, message) => {
      const odd: Condition = { ...lucky, checkArgs: checkArgs as () => null };
      const { world, alice } = await scene({ conditions: [...CONDITIONS, odd] });
      const create = alice.call('create_session', asked(graphWith({ transitions: [rule('lucky', 'stay')] })));
      expect(await refusal(world, create)).toMatchObject({
        code: 'internal',
        message: expect.stringContaining(
          `checkArgs of condition "lucky" version 1 in knobs.graph.transitions.0.when ${message}`,
        ),
      });
    },
  );

  it('[TG10, TG2] an argument that names participants may be a list, and is required', async () => {
    const among: Target = { ...last, name: 'among', agents: ['who'] };
    const { world, alice, bob, carol } = await scene({ targets: [...TARGETS, among] });
    const to = (args: JsonObject) => graphWith({ default_target: { name: 'among', args } });
    const missing = alice.call('create_session', asked(to({})));
    expect(await refusal(world, missing)).toMatchObject({
      code: 'invalid_create',
      message: 'knobs.graph.default_target.args.who: expected a participant, got nothing',
    });
    const mallory = alice.call('create_session', asked(to({ who: ['bob', 'mallory'] })));
    expect(await refusal(world, mallory)).toMatchObject({
      code: 'invalid_create',
      message: 'knobs.graph.default_target.args.who.1: expected a participant (alice, bob, carol), got "mallory"',
    });
    const knobs = { graph: to({ who: ['carol', bob.agentId] }) };
    const id = await opened(world, alice, [bob, carol], { type: 'workflow', knobs });
    expect(createdIn(world, id).knobs).toMatchObject({
      graph: { default_target: { args: { who: [carol.agentId, bob.agentId] } } },
    });
  });

  it('[TG9] are registered once, and rejected with what they lack', async () => {
    const { hub } = (await scene()).world;
    hub.registerCondition(lucky);
    const wrongs: readonly [() => void, string][] = [
      [
        () => hub.registerCondition({ ...lucky }),
        'condition lucky version 1 is registered already; a new behaviour needs a new version',
      ],
      [
        () => hub.registerTarget({ ...last, version: 0 }),
        'version of target last: expected a whole number from 1 on, got 0',
      ],
      [
        () => hub.registerTarget({ ...last, name: 'A Name' }),
        'name of a target: expected one such as "round_robin" (/^[a-z][a-z0-9_.-]{0,63}$/), got "A Name"',
      ],
      [() => hub.registerCondition({ name: 'x', version: 1 } as Condition), 'condition x: holds must be a function'],
      [() => hub.registerCondition(null as never), 'a condition is an object with name, version and holds; got null'],
    ];
    for (const [register, message] of wrongs) expect(register).toThrow(message);
  });

  it('[TG9, AM7] an adapter that fails on its session’s parts fails the creation as internal', async () => {
    const breaks = (members: object) => ({ ...panel, manifest: { ...panel.manifest, type: 'breaks' }, ...members });
    const bad: readonly [object, string][] = [
      [
        { uses: () => ({ conditions: ['unheard-of'], targets: [] }) },
        'uses of breaks failed: no condition "unheard-of" is registered',
      ],
      [
        { forSession: () => ({ manifest: panel.manifest }) },
        'forSession of breaks failed: adapter "panel": initialState',
      ],
      [
        { resolveKnobs: () => ({ when: undefined, then: () => {} }) },
        'resolveKnobs of breaks failed: knobs.then: expected a JSON value',
      ],
    ];
    for (const [members, message] of bad) {
      const world = await World.start({ ...OPTIONS, adapters: [breaks(members)] });
      const [alice] = [await world.peer('alice'), await world.peer('bob')];
      const create = alice.call('create_session', { type: 'breaks', participants: ['bob'], wait: 'created' });
      expect(await refusal(world, create)).toMatchObject({
        code: 'internal',
        message: expect.stringContaining(message),
      });
      expect(world.hub.health().sessions.live).toBe(0);
    }
  });

  it('[TG6, AM7] an adapter that fails on warnings does not undo the creation', async () => {
    const warnings = () => {
      throw new Error('hm');
    };
    const grumpy = { ...panel, warnings };
    const world = await World.start({ ...OPTIONS, adapters: [grumpy] });
    const [alice] = [await world.peer('alice'), await world.peer('bob')];
    const created = await world.answer(
      alice.call('create_session', { type: 'panel', participants: ['bob'], wait: 'created' }),
    );
    expect(created).toMatchObject({ warnings: [], session: { state: 'INVITED' } });
  });
});
