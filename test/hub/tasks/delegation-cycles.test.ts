// No agent in a session tree ends up waiting for itself, over any number of agents, also concurrently.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WaitEdge, WaitGraph } from '../../../src/hub/tasks/wait-graph.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { opened, refusal, releaseHold, watch } from '../scene.ts';
import { accounts, answers, aParent, delegated, delegates, invitedTo } from './delegation-scene.ts';

/** A delegation whose target has joined the child. */
async function joined(world: World, from: Peer, session: string, to: Peer, name: string): Promise<string> {
  const { child } = await delegated(world, from, session, name);
  await world.answer(to.call('ack_invite', { session_id: child }));
  return child;
}

describe('a cycle of delegates that wait for each other', () => {
  it('[DG9] of two is rejected and named', async () => {
    const { world, alice, carol, id } = await aParent();
    const child = await joined(world, alice, id, carol, 'carol');
    const error = await refusal(world, delegates(carol, child, 'alice'));
    expect(error).toMatchObject({ code: 'invalid_create', details: { cycle: ['carol', 'alice', 'carol'] } });
    expect(error.message).toContain('carol → alice → carol');
    expect(accounts(world, child)).toEqual([]);
  });

  it('[DG9] of three is rejected and named', async () => {
    const { world, alice, carol, dave, id } = await aParent();
    const first = await joined(world, alice, id, carol, 'carol');
    const second = await joined(world, carol, first, dave, 'dave');
    const error = await refusal(world, delegates(dave, second, 'alice'));
    expect(error.details).toMatchObject({ cycle: ['dave', 'alice', 'carol', 'dave'] });
  });

  it('[DG9] of siblings in one session is rejected', async () => {
    const { world, alice, bob, id } = await aParent();
    await delegated(world, alice, id, 'bob');
    const error = await refusal(world, delegates(bob, id, 'alice'));
    expect(error.details).toMatchObject({ cycle: ['bob', 'alice', 'bob'] });
  });

  it('[DG9] over two branches of one tree is rejected', async () => {
    const { world, alice, carol, dave, id } = await aParent();
    const left = await joined(world, alice, id, carol, 'carol');
    const right = await joined(world, alice, id, dave, 'dave');
    await delegated(world, carol, left, 'dave');
    const error = await refusal(world, delegates(dave, right, 'carol'));
    expect(error.details).toMatchObject({ cycle: ['dave', 'carol', 'dave'] });
  });

  it('[DG9] does not exist after the wait is over, nor across trees', async () => {
    const { world, alice, bob, id } = await aParent();
    const other = await opened(world, alice, [bob]);
    await delegated(world, alice, id, 'bob');
    const child = invitedTo(bob);
    await delegated(world, bob, other, 'alice');
    await answers(world, bob, 'Yes.', {}, child);
    expect((await delegated(world, bob, id, 'alice')).outcome).toBe('open');
  });

  it('[DG9] is found after a restart, before its sessions are loaded', async () => {
    const { world, alice, id } = await aParent();
    await delegated(world, alice, id, 'bob');
    await world.restart();
    const bob = await world.peer('bob');
    const error = await refusal(world, delegates(bob, id, 'alice'));
    expect(error.details).toMatchObject({ cycle: ['bob', 'alice', 'bob'] });
  });

  it('[DG9] of two concurrent requests admits one, and rejects the other once the first is durable', async () => {
    const { world, alice, bob, carol, id } = await aParent();
    const left = await opened(world, alice, [bob], { parent_session_id: id });
    const right = await opened(world, bob, [alice], { parent_session_id: id });
    world.hold = true;
    const first = watch(delegates(alice, left, 'bob', { wait: 'opened' }));
    const second = watch(delegates(bob, right, 'alice', { wait: 'opened' }));
    await world.settle();
    expect([first.state, second.state]).toEqual(['open', 'open']);
    await releaseHold(world);
    expect([first.state, second.state]).toEqual(['answered', 'refused']);
    expect(second.value).toMatchObject({ code: 'invalid_create', details: { cycle: ['bob', 'alice', 'bob'] } });
    expect(carol.notifies()).toEqual([]);
  });

  it('[DG9] forgets a wait that a conflict has dropped', async () => {
    const { world, alice, bob, id } = await aParent();
    world.hold = true;
    const lost = watch(delegates(alice, id, 'bob', { wait: 'opened' }));
    await world.settle();
    const removed = { event_type: 'session.participant.hidden', event_data: { agent_id: alice.agentId } };
    const { foreignUnit } = await import('../scene.ts');
    world.store.foreignAppend(id, foreignUnit(world, id, removed));
    await releaseHold(world);
    expect(lost.state).toBe('refused');
    const carolsTurn = await delegated(world, bob, id, 'alice');
    expect(carolsTurn.outcome).toBe('open');
  });
});

describe('the graph of waits', () => {
  it('[DG9] returns the cycle exactly if the new wait closes one', () => {
    const agent = fc.integer({ min: 0, max: 6 }).map(String);
    fc.assert(
      fc.property(fc.array(fc.tuple(agent, agent), { maxLength: 24 }), fc.tuple(agent, agent), (pairs, [from, to]) => {
        const graph = new WaitGraph();
        const edge = (id: string, a: string, b: string): WaitEdge => ({ id, root: 'r', from: a, to: b });
        pairs.forEach(([a, b], i) => {
          graph.add(edge(String(i), a, b));
        });
        graph.add({ ...edge('elsewhere', to, from), root: 'other' });
        const found = graph.cycle(edge('new', from, to));
        expect(found !== null).toBe(reaches(pairs, to, from));
        if (found === null) return;
        const { agents } = found;
        expect([agents[0], agents[1], agents.at(-1)]).toEqual([from, to, from]);
        const steps = agents.slice(1).map((next, i) => [agents[i], next]);
        for (const [a, b] of steps.slice(1)) expect(pairs.some(([x, y]) => x === a && y === b)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

/** By a fixed point instead of a search. */
function reaches(pairs: readonly (readonly [string, string])[], start: string, goal: string): boolean {
  let reached = new Set([start]);
  for (let size = 0; size !== reached.size; ) {
    size = reached.size;
    reached = new Set([...reached, ...pairs.filter(([a]) => reached.has(a)).map(([, b]) => b)]);
  }
  return reached.has(goal);
}
