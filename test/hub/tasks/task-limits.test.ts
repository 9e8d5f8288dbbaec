import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aConversation, leap, logOf, MINUTE, opened, refusal, refused, SECOND, types, watch } from '../scene.ts';

function start(peer: Peer, session_id: string, more: object = {}) {
  return peer.call('start_task', { session_id, title: 'look into it', ...more });
}

describe('limits of tasks', () => {
  it('[TK11] bound the tasks of a session, and an end makes room', async () => {
    const { world, alice, bob, id } = await aConversation({ maxTasks: 2 });
    const { task } = await world.answer(start(alice, id));
    await world.answer(start(bob, id));
    await refused(world, start(alice, id), 'protocol_error', { max: 2 });
    await world.answer(alice.call('cancel_task', { session_id: id, task_id: task.task_id }));
    await world.answer(start(alice, id));
  });

  it('[TK11, RU6] bound the tasks of an owner over all its sessions, and are named', async () => {
    const { world, alice, bob, id } = await aConversation();
    const other = await opened(world, alice, [bob]);
    await world.answer(alice.call('set_rule', { rule: { limits: { max_concurrent_tasks: 2 } } }));
    const first = await world.answer(start(alice, id, { idempotency_key: 'k' }));
    await world.answer(start(alice, other));
    await world.answer(start(bob, other));
    expect(await refusal(world, start(alice, id))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('alice already has 2 open tasks (limits.max_concurrent_tasks)'),
      details: { most: 2 },
    });
    expect(await world.answer(start(alice, id, { idempotency_key: 'k' }))).toEqual({ ...first, duplicate: true });
    await world.restart();
    const again = await world.peer('alice');
    await refused(world, start(again, id), 'forbidden');
    await world.answer(again.call('close_session', { session_id: other }));
    await world.answer(start(again, id));
    await refused(world, start(again, id), 'forbidden');
  });

  it('[TK11] hold for concurrent starts, without rejecting those that fit', async () => {
    const { world, alice, bob, id } = await aConversation();
    const other = await opened(world, alice, [bob]);
    await world.answer(alice.call('set_rule', { rule: { limits: { max_concurrent_tasks: 2 } } }));
    const calls = [start(alice, id), start(alice, other), start(alice, id)].map(watch);
    await world.settle();
    expect(calls.map(({ state }) => state)).toEqual(['answered', 'answered', 'refused']);
    await world.answer(alice.call('set_rule', { rule: { limits: { max_concurrent_tasks: 0 } } }));
    await refused(world, start(alice, id), 'forbidden');
  });

  it('[TK11, RU7] charge what is appended like a post, and nothing else', async () => {
    const { world, alice, id } = await aConversation();
    await world.answer(alice.call('set_rule', { rule: { limits: { rate: { per_minute: 1, burst: 3 } } } }));
    const { task } = await world.answer(start(alice, id, { idempotency_key: 'k' }));
    const ref = { session_id: id, task_id: task.task_id };
    await world.answer(start(alice, id, { idempotency_key: 'k' }));
    await world.answer(alice.call('progress_task', { ...ref, progress: 0.1 }));
    await world.answer(alice.call('progress_task', { ...ref, progress: 0.2 }));
    await world.answer(alice.call('checkpoint_task', { ...ref, data: {} }));
    await refused(world, alice.call('complete_task', ref), 'rate_limited', { retry_after_ms: MINUTE });
    await world.pass(MINUTE);
    await world.answer(alice.call('complete_task', ref));
  });

  it('[TK11, RU6, AR2] reject tasks of an owner that may not send to the others', async () => {
    const { world, alice, id } = await aConversation();
    await world.answer(alice.call('set_rule', { rule: { access: { outbound_to: ['carol'] } } }));
    await refused(world, start(alice, id), 'forbidden');
    const slow = await aConversation(
      {},
      { arbiter: { authorizeSend: ({ draft }) => Promise.resolve(draft.event_type !== 'task.started') } },
    );
    await refused(slow.world, start(slow.alice, slow.id), 'forbidden');
  });
});

describe('observed outcomes of an agent', () => {
  const observed = async (world: World, peer: Peer) => (await world.answer(peer.call('get_resume', {}))).observed;

  async function ended(world: World, peer: Peer, id: string, how: string, ms: number, capability = 'Review') {
    const { task } = await world.answer(start(peer, id, { capability, ttl: '1h' }));
    if (ms > 0) world.clock.advance(ms);
    const ref = { session_id: id, task_id: task.task_id };
    await world.answer(peer.ask(how, { ...ref, reason: 'x' }));
    return ref;
  }

  it('[TK12, ID2] count tasks by capability, with the median time of those it ended', async () => {
    const { world, alice, bob, id } = await aConversation({}, {}, { ttl: '1d' });
    expect(await observed(world, alice)).toEqual({});
    await ended(world, alice, id, 'complete_task', 100);
    expect(await observed(world, alice)).toEqual({
      review: { n: 1, completed: 1, failed: 0, expired: 0, p50_latency_ms: 100 },
    });
    await ended(world, alice, id, 'complete_task', 900);
    await ended(world, alice, id, 'fail_task', 200);
    await ended(world, alice, id, 'cancel_task', 5 * SECOND);
    await ended(world, alice, id, 'complete_task', 300, 'review');
    await world.answer(start(alice, id, { capability: 'review', ttl: 5 }));
    await world.answer(start(alice, id));
    await leap(world, MINUTE);
    const expected = { review: { n: 6, completed: 3, failed: 1, expired: 1, p50_latency_ms: 250 } };
    expect(await observed(world, alice)).toEqual(expected);
    expect(await observed(world, bob)).toEqual({});
    const { agents } = await world.answer(bob.call('find_agent', { capability: 'REVIEW' }));
    expect(agents.map(({ name }) => name)).toEqual(['alice']);
    await world.restart();
    const again = await world.peer('alice');
    expect(await observed(world, again)).toEqual(expected);
    const said = await world.answer(again.call('set_resume', { summary: 'I read.' }));
    expect(said).toMatchObject({ observed: expected, version: 1 });
    expect(await world.answer(again.call('set_resume', { summary: 'I read.' }))).toEqual(said);
  });

  it('[TK12] count the end of a session for all its owners', async () => {
    const { world, alice, bob, id } = await aConversation();
    for (const peer of [alice, alice, bob]) await world.answer(start(peer, id, { capability: 'test' }));
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(await observed(world, alice)).toMatchObject({ test: { n: 2, expired: 2, p50_latency_ms: null } });
    expect(await observed(world, bob)).toMatchObject({ test: { n: 1, expired: 1 } });
    expect(types(logOf(world.store, REGISTRY_LOG)).filter((type) => type === 'agent.observed')).toHaveLength(2);
  });

  it('[TK12, L1] may lose one in a crash, and count none twice', async () => {
    const { world, alice, id } = await aConversation();
    await ended(world, alice, id, 'complete_task', 100);
    const second = await world.answer(start(alice, id, { capability: 'review' }));
    world.hold = true;
    void alice.ask('complete_task', { session_id: id, task_id: second.task.task_id });
    await world.settle();
    world.store.sync();
    await world.settle();
    world.hold = false;
    await world.crash(() => false);
    const again = await world.peer('alice');
    expect(
      (await world.answer(again.call('get_task', { session_id: id, task_id: second.task.task_id }))).task.state,
    ).toBe('done');
    expect(await observed(world, again)).toMatchObject({ review: { n: 1, completed: 1 } });
    await world.answer(again.call('complete_task', { session_id: id, task_id: second.task.task_id }));
    await world.crash(() => false);
    expect(await observed(world, await world.peer('alice'))).toMatchObject({ review: { n: 1 } });
  });
});
