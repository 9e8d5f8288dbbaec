import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import { type WorkflowState, workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject, SessionAdapter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import { type PanelState, panel, panelOf } from '../panel.ts';
import { EXPECTATIONS, invited, opened, say } from '../scene.ts';

const PARTS = { conditions: CONDITIONS, targets: TARGETS };

async function scene(adapters: WorldOptions['adapters']) {
  const errors: unknown[] = [];
  const log = { info() {}, warn() {}, error: (message: string, data?: object) => void errors.push([message, data]) };
  const world = await World.start({ adapters, ...EXPECTATIONS, ...PARTS, log });
  return {
    world,
    errors,
    alice: await world.peer('alice'),
    bob: await world.peer('bob'),
    carol: await world.peer('carol'),
  };
}

const stateOf = async (world: World, peer: Peer, session_id: string) =>
  (await world.answer(peer.call('get_session', { session_id }))).public_state;

/** Shows every participant its id and the number of texts. */
const open: SessionAdapter<PanelState> = {
  ...panelOf('open', 2),
  publicState: (_metadata, { said }, participantId) => ({ said, you: participantId }),
};

describe('the public state', () => {
  it('[AD19, WF5, WF6] of a workflow has its durable variables and turns', async () => {
    const { world, alice, bob } = await scene([workflow]);
    const graph = { initial_speaker: 'alice', transitions: [], default_target: { name: 'round_robin', args: {} } };
    const knobs = { graph, context_vars: { n: 1 } };
    const id = await opened(world, alice, [bob], { type: 'workflow', knobs });
    expect(await stateOf(world, bob, id)).toEqual({ context_vars: { n: 1 }, turn_count: 0 });
    const set = { session_id: id, event_type: 'context.set', event_data: { set: { stage: 'two' }, delete: ['n'] } };
    world.hold = true;
    const setting = alice.call('post', set);
    await world.settle();
    expect(await stateOf(world, bob, id)).toEqual({ context_vars: { n: 1 }, turn_count: 0 });
    world.hold = false;
    await world.answer(setting);
    await say(world, alice, id, 'on');
    expect(await stateOf(world, bob, id)).toEqual({ context_vars: { stage: 'two' }, turn_count: 1 });
  });

  it('[AD19, DI2] of a discussion has its turns and rounds, and of other types nothing', async () => {
    const { world, alice, bob } = await scene([discussion, panel]);
    const id = await opened(world, alice, [bob], { type: 'discussion' });
    for (const peer of [alice, bob, alice]) await say(world, peer, id, 'x');
    expect(await stateOf(world, bob, id)).toEqual({ turn_count: 3, rounds_done: 1 });
    const other = await opened(world, alice, [bob], { type: 'panel' });
    expect(await stateOf(world, alice, other)).toEqual({});
  });

  it('[AD19, MB5] is shown to members only, to each its own', async () => {
    const { world, alice, bob, carol } = await scene([open]);
    const id = await invited(world, alice, [bob, carol], { type: 'open', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await say(world, alice, id, 'one');
    expect(await stateOf(world, alice, id)).toEqual({ said: 1, you: alice.agentId });
    expect(await stateOf(world, bob, id)).toEqual({ said: 1, you: bob.agentId });
    expect(await stateOf(world, carol, id)).toEqual({});
    await world.answer(carol.call('ack_invite', { session_id: id }));
    expect(await stateOf(world, carol, id)).toEqual({ said: 1, you: carol.agentId });
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    expect(await stateOf(world, bob, id)).toEqual({ said: 1, you: bob.agentId });
    await world.answer(carol.call('leave_session', { session_id: id }));
    expect(await stateOf(world, carol, id)).toEqual({});
  });

  it('[AD19, LC13] is empty without the adapter, and shown after the end', async () => {
    const { world: before, alice, bob } = await scene([open]);
    const id = await opened(before, alice, [bob], { type: 'open' });
    await say(before, alice, id, 'one');
    const keep = () => true;
    const store = before.store.crash(keep, keep, keep);
    const world = await World.start({ adapters: [panel], store, clock: before.clock, seed: 9 });
    const again = await world.peer('alice');
    expect(await stateOf(world, again, id)).toEqual({});
    world.hub.register(open);
    await world.answer(again.call('close_session', { session_id: id }));
    await world.pass(60_000);
    expect(await stateOf(world, again, id)).toEqual({ said: 1, you: again.agentId });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('oops');
      },
      'oops',
    ],
    ['gives a list', () => [], 'publicState: expected a JSON object, got an array of 0'],
    ['gives no JSON', () => ({ at: new Date(0) }), 'publicState.at: expected a JSON value, got a Date'],
  ])('[AD19, L8] is empty if the adapter %s, and the rest is answered', async (_, publicState, error) => {
    const torn = { ...panelOf('torn', 2), publicState: publicState as unknown as () => JsonObject };
    const { world, errors, alice, bob } = await scene([torn]);
    const id = await opened(world, alice, [bob], { type: 'torn' });
    expect(await world.answer(alice.call('get_session', { session_id: id }))).toMatchObject({
      session: { state: 'ACTIVE' },
      public_state: {},
    });
    expect(errors).toEqual([['publicState of torn failed', { session_id: id, error }]]);
  });
});

describe('the tools of the turn holder', () => {
  it('[AD20] are those of its type, shown to the holder only, until the turn moves', async () => {
    const { world, alice, bob } = await scene([workflow]);
    const graph = { initial_speaker: 'alice', transitions: [], default_target: { name: 'round_robin', args: {} } };
    const id = await opened(world, alice, [bob], { type: 'workflow', knobs: { graph } });
    const toolsOf = async (peer: Peer) =>
      (await world.answer(peer.call('get_session', { session_id: id }))).tools.map(({ name }) => name);
    expect([await toolsOf(alice), await toolsOf(bob)]).toEqual([['handoff', 'finish'], []]);
    await say(world, alice, id, 'on');
    expect([await toolsOf(alice), await toolsOf(bob)]).toEqual([[], ['handoff', 'finish']]);
  });

  it('[AD20, L8] are empty if the adapter throws, and the rest is answered', async () => {
    const tools = () => {
      throw new Error('oops');
    };
    const torn: SessionAdapter<WorkflowState> = { ...workflow, tools, forSession: () => torn };
    const { world, errors, alice, bob } = await scene([torn]);
    const graph = { initial_speaker: 'alice', transitions: [], default_target: { name: 'round_robin', args: {} } };
    const id = await opened(world, alice, [bob], { type: 'workflow', knobs: { graph } });
    const info = await world.answer(alice.call('get_session', { session_id: id }));
    expect(info).toMatchObject({ turn: { agent_id: alice.agentId }, tools: [] });
    expect(errors).toEqual([['tools of workflow failed', { session_id: id, error: 'oops' }]]);
  });
});
