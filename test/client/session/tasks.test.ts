import { AgentClient } from 'parley-hub/client';
import type { Task } from 'parley-hub/core';
import { createHub, type LocalHub } from 'parley-hub/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deferred, S1 } from '../scripted-hub.ts';
import { agent } from '../world.ts';

const T1 = 'a'.repeat(32);

it('[CL29] sends task calls with their wire names', async () => {
  const { hub, client } = await agent();
  const task = client.session(S1).task(T1);
  const calls = [
    client
      .session(S1)
      .startTask('look', { capability: 'review', requester: 'bob', ttl: '5m', key: 'k', deadlineMs: 50 }),
    task.progress(0.5, 'half'),
    task.checkpoint({ page: 1 }),
    task.resume(),
    task.complete({ ok: true }),
    task.fail('no', { tried: 1 }),
    task.cancel('enough'),
    task.info(),
  ];
  const heard = (await hub.heard()).map((text) => JSON.parse(text)).map(({ op, params }) => [op, params]);
  const ref = { session_id: S1, task_id: T1 };
  expect(heard).toEqual([
    [
      'start_task',
      { session_id: S1, title: 'look', capability: 'review', requester: 'bob', ttl: '5m', idempotency_key: 'k' },
    ],
    ['progress_task', { ...ref, progress: 0.5, note: 'half' }],
    ['checkpoint_task', { ...ref, data: { page: 1 } }],
    ['resume_task', ref],
    ['complete_task', { ...ref, result: { ok: true } }],
    ['fail_task', { ...ref, reason: 'no', result: { tried: 1 } }],
    ['cancel_task', { ...ref, reason: 'enough' }],
    ['get_task', ref],
  ]);
  client.close();
  await Promise.allSettled(calls);
  await expect(client.session(S1).startTask('x', { ttll: 1 } as never)).rejects.toThrow(
    'ttll: expected a known option',
  );
  expect(() => task.onCancelRequest('x' as never)).toThrow('handler: expected a function');
});

describe('task handles', () => {
  let hub: LocalHub;
  beforeEach(async () => {
    hub = await createHub();
  });
  afterEach(() => hub.stop());

  async function pair() {
    const bob = await hub.agent('bob');
    const alice = await hub.agent('alice');
    return { alice, bob, session: await alice.open('conversation', ['bob']) };
  }

  it('[CL29] its owner, including later handlers, receives a cancel request and decides', async () => {
    const { bob, alice, session } = await pair();
    const task = await session.startTask('look');
    const asked = deferred<unknown>();
    const stop = task.onCancelRequest(({ reason }) => asked.resolve(reason));
    const answer = await bob.session(session.id).task(task.id).cancel('not needed');
    expect(answer.requested).toBe(true);
    expect(await asked.promise).toBe('not needed');
    expect(task.signal.aborted).toBe(true);
    expect(task.signal.reason).toMatchObject({ code: 'cancel_requested' });
    stop();
    const later: unknown[] = [];
    alice
      .session(session.id)
      .task(task.id)
      .onCancelRequest(({ reason }) => void later.push(reason));
    expect(later).toEqual(['not needed']);
    expect((await task.cancel()).task.state).toBe('cancelled');
  });

  it('[CL29] keeps a cancel request that arrived before the handle', async () => {
    const { alice, bob, session } = await pair();
    const { id } = await session.startTask('look');
    alice.close();
    await bob.session(session.id).task(id).cancel();
    const again = await AgentClient.connect({
      link: () => hub.connect(),
      name: 'alice',
      ids: { hex32: () => 'f'.repeat(32) },
    });
    await again.session(session.id).info();
    const task = again.session(session.id).task(id);
    const asked = deferred<void>();
    task.onCancelRequest(() => asked.resolve());
    await asked.promise;
    expect(task.signal.aborted).toBe(true);
    await task.resume();
    again.close();
  });

  it('[TK4, CL29] finds a cancel request that another client of the owner ignored', async () => {
    const { alice, bob, session } = await pair();
    const { id } = await session.startTask('look');
    const heard = session.waitFor('task.cancel_request');
    await bob.session(session.id).task(id).cancel('not needed');
    const { created_at: at } = await heard;
    // Answered only after the receipt was processed.
    await session.info();
    alice.close();
    const request = { by: bob.agentId, reason: 'not needed', at };
    for (const learn of ['resume', 'info', 'onCancelRequest'] as const) {
      const again = await hub.agent('alice');
      const task = again.session(session.id).task(id);
      const requests: unknown[] = [];
      const asked = deferred<void>();
      const note = (given: unknown) => {
        requests.push(given);
        asked.resolve();
      };
      if (learn !== 'onCancelRequest') expect((await task[learn]()).task.cancel_requested).toEqual(request);
      task.onCancelRequest(note);
      await asked.promise;
      await task.info();
      expect(requests).toEqual([request]);
      expect(task.signal.reason).toMatchObject({ code: 'cancel_requested' });
      again.close();
    }
    const other = bob.session(session.id).task(id);
    expect((await other.info()).task.cancel_requested).toEqual(request);
    expect(other.signal.aborted).toBe(false);
  });

  it('[CL29] its signal is aborted by the hub ending it, not by its own end', async () => {
    const { session } = await pair();
    const [one, two] = [await session.startTask('one'), await session.startTask('two')];
    await one.complete({ ok: true });
    const titles: Pick<Task, 'title' | 'state'>[] = [];
    for await (const { title, state } of session.tasks({ owner: 'alice' })) titles.push({ title, state });
    expect(titles).toEqual([
      { title: 'one', state: 'done' },
      { title: 'two', state: 'open' },
    ]);
    await session.close('done', { wait: 'closed' });
    await session.ended();
    expect([one.signal.aborted, two.signal.aborted]).toEqual([false, true]);
    expect(two.signal.reason).toMatchObject({ code: 'task_expired' });
  });
});
