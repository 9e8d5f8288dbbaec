import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import type { Condition, JsonObject, Target } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { World } from '../../../src/testing/doubles/world.ts';
import { panel } from '../panel.ts';
import { logOf, opened, refusal, refused, say, text, types } from '../scene.ts';
import { asked, createdIn, get, graphWith, OPTIONS, reopened, rule, scene } from './scene.ts';

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
    await refused(world, alice.call('post', text(id, 'x')), 'internal');
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
