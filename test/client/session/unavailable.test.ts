// Sessions that lack a condition for a while, with a real hub: no false turn, and none lost.

import { conversation } from 'parley-hub/adapters/conversation';
import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { AgentClient, type AgentOptions } from 'parley-hub/client';
import type { Condition } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import { panel } from '../../hub/panel.ts';
import { EXPECTATIONS, logOf, opened, say, types } from '../../hub/scene.ts';

const never: Condition = { name: 'never', version: 1, holds: () => false };
const graph = {
  initial_speaker: 'alice',
  transitions: [{ when: { name: 'never', args: {} }, then: { name: 'stay', args: {} } }],
  default_target: { name: 'round_robin', args: {} },
};
const LACKING: WorldOptions = {
  ...EXPECTATIONS,
  adapters: [conversation, workflow],
  conditions: CONDITIONS,
  targets: TARGETS,
};
const WHOLE: WorldOptions = { ...LACKING, conditions: [...CONDITIONS, never] };
const TALKING: WorldOptions = { ...EXPECTATIONS, adapters: [panel, conversation] };

async function reopened(world: World, options: WorldOptions): Promise<World> {
  const keep = () => true;
  return World.start({ ...options, store: world.store.crash(keep, keep, keep), clock: world.clock, seed: 99 });
}

async function listener(world: World, name: string, onTurn?: AgentOptions['onTurn']) {
  const heard: string[] = [];
  const options: Partial<AgentOptions> = {
    onMessage: ({ text }) => void heard.push(text),
    onTurn: (turn, session) => {
      heard.push(`turn after ${turn.message?.text ?? 'nothing'}`);
      return onTurn?.(turn, session);
    },
  };
  const link = () => world.hub.connect();
  const client = await world.answer(AgentClient.connect({ link, name, ids: world.ids, ...options }));
  await world.settle();
  return { client, heard };
}

/** alice has posted and bob has the turn; nothing is acked. */
async function bobsTurn() {
  const before = await World.start(WHOLE);
  const [alice, bob, carol] = [await before.peer('alice'), await before.peer('bob'), await before.peer('carol')];
  const id = await opened(before, alice, [bob, carol], { type: 'workflow', knobs: { graph } });
  bob.acks = false;
  carol.acks = false;
  const { turn } = await say(before, alice, id, 'hi bob');
  expect(turn?.agent_id).toBe(bob.agentId);
  return { before, id, turn, bobId: bob.agentId, carolId: carol.agentId };
}

describe('an unavailable session', () => {
  it('[CL27, LC13] gives nobody a turn; when available, the holder gets it with the message', async () => {
    const { before, id, turn } = await bobsTurn();
    const world = await reopened(before, LACKING);
    const told: unknown[] = [];
    world.hub.on('sessionAvailable', (event) => told.push(event));
    const bob = await listener(world, 'bob', async (_turn, session) => void (await session.send('hello')));
    const carol = await listener(world, 'carol');
    await world.pass(60_000);
    expect([bob.heard, carol.heard]).toEqual([['hi bob'], ['hi bob']]);
    const theirs = bob.client.session(id);
    expect([theirs.isMyTurn, carol.client.session(id).isMyTurn]).toEqual([false, false]);
    expect(await world.answer(theirs.info())).toMatchObject({
      turn,
      unavailable: expect.stringContaining('condition never version 1; register it with hub.registerCondition'),
    });
    expect(told).toEqual([]);

    world.hub.registerCondition(never);
    await world.settle();
    expect(told).toEqual([{ session_id: id }]);
    expect(bob.heard).toEqual(['hi bob', 'turn after hi bob']);
    expect(carol.heard).toEqual(['hi bob', 'hello', 'turn after hello']);
    expect(types(logOf(world.store, id)).slice(-3)).toEqual(['msg.text', 'session.available', 'msg.text']);
    bob.client.close();
    expect((await listener(world, 'bob')).heard).toEqual([]);
  });

  it('[CL27, LC13] keeps the turn for the next connection', async () => {
    const { before, id } = await bobsTurn();
    const lacking = await reopened(before, LACKING);
    expect((await listener(lacking, 'bob')).heard).toEqual(['hi bob']);
    await lacking.pass(60_000);
    const world = await reopened(lacking, WHOLE);
    expect((await listener(world, 'bob')).heard).toEqual(['hi bob', 'turn after hi bob']);
    expect(types(logOf(world.store, id)).at(-1)).toBe('msg.text');
  });

  it('[CL27] gives the turn to a holder that connects after it became available', async () => {
    const { before } = await bobsTurn();
    const world = await reopened(before, LACKING);
    const bob = await listener(world, 'bob');
    bob.client.close();
    world.hub.registerCondition(never);
    await world.settle();
    const again = await listener(world, 'bob');
    expect(again.heard).toEqual(['hi bob', 'turn after hi bob']);
  });

  it('[CL27] holds and offers a turn without a message', async () => {
    const before = await World.start(WHOLE);
    const [alice, bob, carol] = [await before.peer('alice'), await before.peer('bob'), await before.peer('carol')];
    bob.acks = false;
    const knobs = { graph: { ...graph, initial_speaker: 'bob' } };
    const id = await opened(before, alice, [bob, carol], { type: 'workflow', knobs });
    const world = await reopened(before, LACKING);
    const again = await listener(world, 'bob');
    expect(again.heard).toEqual([]);
    expect(again.client.session(id).isMyTurn).toBe(false);
    world.hub.registerCondition(never);
    await world.settle();
    expect(again.heard).toEqual(['turn after nothing']);
  });

  it('[CL27] without a turn, offers the last message when it becomes available', async () => {
    const before = await World.start(TALKING);
    const [alice, bob] = [await before.peer('alice'), await before.peer('bob')];
    bob.acks = false;
    const id = await opened(before, alice, [bob], { type: 'panel' });
    for (const words of ['one', 'two']) await say(before, alice, id, words);
    const world = await reopened(before, { adapters: [conversation] });
    const again = await listener(world, 'bob');
    expect(again.heard).toEqual(['one', 'two']);
    world.hub.register(panel);
    await world.settle();
    expect(again.heard).toEqual(['one', 'two', 'turn after two']);
  });

  it('[CL27, LC7] that closes drops held turns and drains', async () => {
    const { before, id } = await bobsTurn();
    const world = await reopened(before, LACKING);
    const bob = await listener(world, 'bob');
    const alice = await world.peer('alice');
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    expect(bob.heard).toEqual(['hi bob']);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.closed');
  });

  it('[LC13, L3] passes a turn that nothing could assign, once it becomes available', async () => {
    const { before, id, bobId, carolId } = await bobsTurn();
    const lacking = await reopened(before, LACKING);
    await lacking.answer(lacking.hub.removeParticipant(id, 'bob'));
    expect(lacking.store.durableEntries(id).at(-1)).toMatchObject({ turn: null });
    const world = await reopened(lacking, WHOLE);
    const carol = await listener(world, 'carol');
    expect(carol.heard).toContain('turn after nothing');
    const { turns } = await world.answer(carol.client.call('pending_turns', {}));
    expect(turns).toMatchObject([{ session_id: id }]);
    expect(world.store.durableEntries(id).at(-1)).toMatchObject({
      envelope: { event_type: 'session.available' },
      turn: { agent_id: carolId },
    });
    expect(bobId).not.toBe(carolId);
    world.hub.evictIdle();
    await world.settle();
    const count = logOf(world.store, id).length;
    await world.answer(carol.client.session(id).info());
    expect(logOf(world.store, id)).toHaveLength(count);
  });

  it('[LC13] keeps the turn of its log while the holder is present', async () => {
    const { before, id, turn } = await bobsTurn();
    const world = await reopened(before, LACKING);
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    expect(world.store.durableEntries(id).at(-1)).toMatchObject({ turn });
    const alice = await world.peer('alice');
    expect(await world.answer(alice.call('get_session', { session_id: id }))).toMatchObject({ turn });
    expect(await world.answer(alice.call('can_send', { session_id: id }))).toMatchObject({ can: false, turn });
  });

  it('[LC13, LC1] reports availability of unopened or closing sessions by the event alone', async () => {
    const before = await World.start(WHOLE);
    const [alice] = [await before.peer('alice'), await before.peer('bob')];
    const asked = { type: 'workflow', participants: ['bob'], knobs: { graph }, wait: 'created' } as const;
    const { session } = await before.answer(alice.call('create_session', asked));
    const world = await reopened(before, LACKING);
    const told: unknown[] = [];
    world.hub.on('sessionAvailable', (event) => told.push(event));
    const again = await world.peer('alice');
    await world.answer(again.call('get_session', { session_id: session.session_id }));
    world.hub.registerCondition(never);
    await world.settle();
    expect(told).toEqual([{ session_id: session.session_id }]);
    expect(types(logOf(world.store, session.session_id))).toEqual(['session.created', 'session.invite']);
  });
});
