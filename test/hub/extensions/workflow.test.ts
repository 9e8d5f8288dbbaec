import { CONDITIONS, roundRobin, sequence, TARGETS } from 'parley-hub/adapters/transition-graph';
import { finish, handoff, type Params } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { invited, logOf, opened, refusal, refused, say, standing, text } from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';
import { asked, createdIn, get, graphWith, post, reopened, rule, scene } from './scene.ts';

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
    await refused(world, alice.call('post', text(talk, 'x')), 'session_closed', { close_reason: 'rounds_complete' });
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
