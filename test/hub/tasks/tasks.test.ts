import type { Task, TaskAnswer } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { itDeep } from '../../support/size.ts';
import { aConversation, aPanel, logOf, refusal, refused, SECOND, say, types, VIEWS } from '../scene.ts';

type Ref = { readonly session_id: string; readonly task_id: string };

async function started(world: World, peer: Peer, session_id: string, more: object = {}): Promise<Task & Ref> {
  return (await world.answer(peer.call('start_task', { session_id, title: 'look into it', ...more }))).task;
}

function refOf({ session_id, task_id }: Ref): Ref {
  return { session_id, task_id };
}

async function stateOf(world: World, peer: Peer, task: Ref): Promise<string> {
  return (await world.answer(peer.call('get_task', refOf(task)))).task.state;
}

describe('a task', () => {
  it('[TK1] is started by an active participant, with what it requested and defaults', async () => {
    const { world, alice, bob, id } = await aConversation();
    const asked = { session_id: id, title: 'review the patch', capability: 'Review', requester: 'bob', ttl: '1h' };
    const { task, seq } = await world.answer(alice.call('start_task', asked));
    expect({ task, seq }).toEqual({
      seq: 5,
      task: {
        task_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        session_id: id,
        owner_id: alice.agentId,
        requester_id: bob.agentId,
        title: 'review the patch',
        capability: 'Review',
        state: 'open',
        progress: null,
        checkpoint: null,
        created_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2026-01-01T01:00:00.000Z',
        result: null,
        reason: null,
        cancel_requested: null,
        ended_at: null,
        started_seq: 5,
        ended_seq: null,
      },
    });
    expect(logOf(world.store, id).at(-1)).toMatchObject({
      event_type: 'task.started',
      sender_id: alice.agentId,
      audience: null,
      task_id: task.task_id,
    });
    const plain = await started(world, bob, id);
    expect(plain).toMatchObject({
      requester_id: bob.agentId,
      capability: null,
      expires_at: '2026-01-01T00:15:00.000Z',
    });
    expect((await started(world, bob, id, { ttl: 0 })).expires_at).toBeNull();
  });

  it('[TK1, TK2] moves from open over running to done, and is the same after a restart', async () => {
    const { world, alice, id } = await aConversation();
    const task = await started(world, alice, id);
    const ref = refOf(task);
    const steps: unknown[] = [];
    const note = async (call: Promise<unknown>) => {
      await world.answer(call);
      const { state, progress } = (await world.answer(alice.call('get_task', ref))).task;
      steps.push([state, progress]);
    };
    await note(alice.call('progress_task', { ...ref, progress: 0.25, note: 'begun' }));
    await note(alice.call('checkpoint_task', { ...ref, data: { page: 3 } }));
    await world.pass(10 * SECOND);
    await note(alice.call('progress_task', { ...ref, progress: null }));
    await note(alice.call('resume_task', ref));
    await note(alice.call('complete_task', { ...ref, result: { pages: 7 } }));
    expect(steps).toEqual([
      ['running', 0.25],
      ['running', 0.25],
      ['running', null],
      ['running', null],
      ['done', null],
    ]);
    const before = await world.answer(alice.call('get_task', ref));
    expect(before).toMatchObject({ checkpoint: { page: 3 }, result: { pages: 7 }, task: { ended_seq: 10 } });
    await world.restart();
    expect(await world.answer((await world.peer('alice')).call('get_task', ref))).toEqual(before);
  });

  it('[TK1, AM5] is not changed by posts that name it, and task.* cannot be posted', async () => {
    const { world, alice, bob, id } = await aConversation();
    const task = await started(world, alice, id);
    await say(world, bob, id, 'about your task', { task_id: task.task_id });
    const forged = { session_id: id, event_type: 'task.completed', event_data: {}, task_id: task.task_id };
    await refused(world, alice.call('post', forged), 'protocol_error');
    expect(await stateOf(world, bob, task)).toBe('open');
  });

  it.each(['progress_task', 'checkpoint_task', 'resume_task', 'complete_task', 'fail_task'] as const)(
    '[TK2, L7] %s requires the owner, and changes nothing for others',
    async (op) => {
      const { world, alice, bob, id } = await aConversation();
      const task = await started(world, alice, id);
      const before = logOf(world.store, id);
      const params = { ...refOf(task), progress: 0.5, data: {}, reason: 'x' };
      expect(await refusal(world, bob.call(op, params))).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`only alice, the owner of task ${task.task_id}`),
        details: { owner_id: alice.agentId },
      });
      const carol = await world.peer('carol');
      expect(await refusal(world, carol.call(op, params))).toMatchObject({
        code: 'not_found',
        message: `no session ${id}`,
      });
      expect(logOf(world.store, id)).toEqual(before);
    },
  );

  it('[TK2] is not_found in another session', async () => {
    const { world, alice, bob, id } = await aConversation();
    const task = await started(world, alice, id);
    const { session } = await world.answer(
      alice.call('create_session', { type: 'conversation', participants: [bob.agentId], wait: 'created' }),
    );
    const ref = { ...refOf(task), session_id: session.session_id };
    for (const op of ['resume_task', 'complete_task', 'cancel_task', 'get_task'] as const) {
      expect(await refusal(world, alice.call(op, ref))).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('read_log shows the others'),
      });
    }
  });

  it('[TK2] can be continued but not started by a hidden owner', async () => {
    const { world, alice, bob, id } = await aPanel();
    const task = await started(world, bob, id);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await refused(world, bob.call('start_task', { session_id: id, title: 'x' }), 'protocol_error');
    await world.answer(bob.call('checkpoint_task', { ...refOf(task), data: {} }));
    await world.answer(bob.call('complete_task', refOf(task)));
    expect(await stateOf(world, alice, task)).toBe('done');
  });

  it('[TK1] requires a title that is not blank', async () => {
    const { world, alice, id } = await aConversation();
    for (const title of ['', ' ', '\n\t']) {
      await refused(world, alice.call('start_task', { session_id: id, title }), 'bad_frame', 'params.title');
    }
  });

  it('[TK1] requires an active session', async () => {
    const { world, alice, bob, id } = await aConversation();
    const { session } = await world.answer(
      alice.call('create_session', { type: 'conversation', participants: [bob.agentId], wait: 'created' }),
    );
    const early = { session_id: session.session_id, title: 'x' };
    await refused(world, alice.call('start_task', early), 'protocol_error');
    await world.answer(alice.call('close_session', { session_id: id }));
    await refused(world, alice.call('start_task', { session_id: id, title: 'x' }), 'session_closed');
  });
});

describe('the end of a task', () => {
  it('[TK3] is permanent: the same end is answered, any other is a conflict that names the state', async () => {
    const { world, alice, bob, id } = await aConversation();
    const task = await started(world, alice, id);
    const ref = refOf(task);
    const failed = await world.answer(alice.call('fail_task', { ...ref, reason: 'no way', result: { tried: 3 } }));
    const before = logOf(world.store, id);
    const same = { ...ref, reason: 'no way', result: { tried: 3 } };
    expect(await world.answer(alice.call('fail_task', same))).toEqual({ ...failed, duplicate: true });
    for (const [field, other] of [
      ['reason', { ...same, reason: 'no idea' }],
      ['result', { ...same, result: { tried: 4 } }],
      ['result', { ...ref, reason: 'no way' }],
    ] as const) {
      expect(await refusal(world, alice.call('fail_task', other))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`is failed since seq 6, with another ${field}`),
        details: { state: 'failed', ended_seq: 6, field: `params.${field}` },
      });
    }
    const others: (() => Promise<unknown>)[] = [
      () => alice.call('complete_task', ref),
      () => alice.call('cancel_task', ref),
      () => alice.call('progress_task', { ...ref, progress: 1 }),
      () => alice.call('checkpoint_task', { ...ref, data: {} }),
      () => alice.call('resume_task', ref),
      () => bob.call('cancel_task', ref),
    ];
    for (const other of others) {
      expect(await refusal(world, other())).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`task ${task.task_id} is failed (no way) since seq 6`),
        details: { state: 'failed', ended_seq: 6 },
      });
    }
    expect(logOf(world.store, id)).toEqual(before);
    expect(before.at(-1)).toMatchObject({
      event_type: 'task.failed',
      audience: null,
      event_data: { reason: 'no way' },
    });
  });

  it('[TK3] leaves a repeated start under its key one task, even after a restart', async () => {
    const { world, alice, id } = await aConversation();
    const asked = { session_id: id, title: 'once', idempotency_key: 'k1' };
    const first = await world.answer(alice.call('start_task', asked));
    expect(await world.answer(alice.call('start_task', asked))).toEqual({ ...first, duplicate: true });
    await world.answer(alice.call('complete_task', refOf(first.task)));
    await world.restart();
    const again = await world.peer('alice');
    const repeated = await world.answer(again.call('start_task', asked));
    expect(repeated).toMatchObject({
      duplicate: true,
      seq: first.seq,
      task: { task_id: first.task.task_id, state: 'done' },
    });
    for (const other of [{ title: 'another' }, { ttl: 1 }, { capability: 'x' }, { requester: 'bob' }]) {
      await refused(world, again.call('start_task', { ...asked, ...other }), 'duplicate');
    }
    await say(world, again, id, 'hello', { idempotency_key: 'k2' });
    await refused(world, again.call('start_task', { ...asked, idempotency_key: 'k2' }), 'duplicate');
  });

  it('[TK4] may be requested by others and is decided by its owner', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const task = await started(world, alice, id);
    const request = await world.answer(bob.call('cancel_task', { ...refOf(task), reason: 'not needed' }));
    const cancel_requested = { by: bob.agentId, reason: 'not needed', at: '2026-01-01T00:00:00.000Z' };
    expect(request).toMatchObject({ requested: true, task: { state: 'open', cancel_requested } });
    expect(alice.notifies(id).at(-1)?.envelope).toMatchObject({
      event_type: 'task.cancel_request',
      sender_id: bob.agentId,
      task_id: task.task_id,
      event_data: { reason: 'not needed' },
    });
    expect(carol.notifies(id).map(({ envelope }) => envelope.event_type)).not.toContain('task.cancel_request');
    expect(await world.answer(alice.call('cancel_task', { ...refOf(task), reason: 'as asked' }))).toMatchObject({
      requested: false,
      task: { state: 'cancelled', reason: 'as asked' },
    });
    const other = await started(world, alice, id);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await refused(world, bob.call('cancel_task', refOf(other)), 'protocol_error');
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    await refused(world, carol.call('cancel_task', refOf(other)), 'forbidden');
  });
});

describe('notifications of a task', () => {
  it('[TK5] send starts and ends to everyone, progress to the requester, and the rest to nobody', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const heardBefore = [bob.notifies(id).length, carol.notifies(id).length];
    const task = await started(world, alice, id, { requester: 'bob' });
    const ref = refOf(task);
    await world.answer(alice.call('progress_task', { ...ref, progress: 0.1 }));
    await world.answer(alice.call('checkpoint_task', { ...ref, data: {} }));
    await world.answer(alice.call('resume_task', ref));
    await world.answer(alice.call('complete_task', ref));
    const own = await started(world, alice, id);
    await world.pass(10 * SECOND);
    await world.answer(alice.call('progress_task', { ...refOf(own), progress: 0.1 }));
    const heard = (peer: Peer, from = 0) =>
      types(
        peer
          .notifies(id)
          .slice(from)
          .map(({ envelope }) => envelope),
      );
    expect(heard(bob, heardBefore[0])).toEqual(['task.started', 'task.progress', 'task.completed', 'task.started']);
    expect(heard(carol, heardBefore[1])).toEqual(['task.started', 'task.completed', 'task.started']);
    expect(heard(alice).filter((type) => type.startsWith('task.'))).toEqual([]);
  });

  it('[TK6] log progress at most every 10 s, together with that of turns', async () => {
    const { world, alice, id } = await aConversation();
    const [one, two] = [await started(world, alice, id), await started(world, alice, id)];
    const report = (task: Ref, progress: number) =>
      world.answer(alice.call('progress_task', { ...refOf(task), progress }));
    expect(await report(one, 0)).toEqual({ logged: true });
    expect(await report(two, 0.5)).toEqual({ logged: false });
    expect(await stateOf(world, alice, two)).toBe('open');
    await world.pass(10 * SECOND - 1);
    expect(await report(one, 1)).toEqual({ logged: false });
    await world.pass(1);
    expect(await report(two, 1)).toEqual({ logged: true });
    expect(await stateOf(world, alice, two)).toBe('running');
  });

  it('[TK6, EX8] let progress extend the owner’s turn, and a failed task keeps the turn', async () => {
    const expectations = [
      { name: 'turn_within', on_violation: 'audit', params: { seconds: 20 } },
      { name: 'turn_within', on_violation: 'audit', params: { seconds: 600, on_failure: true } },
    ];
    const { world, alice, bob, id } = await aConversation({}, {}, { type: 'consulting', expectations });
    await say(world, alice, id, 'why?');
    const task = await started(world, bob, id);
    const violated = () => types(logOf(world.store, id)).filter((type) => type === 'expectation.violated').length;
    await world.pass(15 * SECOND);
    await world.answer(bob.call('progress_task', { ...refOf(task), progress: 0.5 }));
    await world.pass(19 * SECOND);
    await world.answer(bob.call('fail_task', { ...refOf(task), reason: 'no way' }));
    expect(violated()).toBe(0);
    await world.pass(2 * SECOND);
    expect(violated()).toBe(1);
    const other = await started(world, bob, id);
    await world.answer(bob.call('report_turn_failure', { session_id: id, reason: 'the model is down' }));
    await world.answer(bob.call('fail_task', { ...refOf(other), reason: 'no way' }));
    await world.pass(SECOND);
    expect(violated()).toBe(2);
  });

  it('[TK5, VW2] are no lines of a view', async () => {
    const { world, alice, bob, id } = await aConversation({}, { views: VIEWS });
    await started(world, alice, id);
    await say(world, alice, id, 'hello');
    const view = { name: 'full_transcript' };
    const { messages } = await world.answer(bob.call('read_view', { session_id: id, view }));
    expect(messages.map(({ content }) => content)).toEqual(['hello']);
  });
});

describe('the data of a task', () => {
  it('[TK7] returns the last checkpoint to its owner only', async () => {
    const { world, alice, id } = await aConversation();
    const ref = refOf(await started(world, alice, id));
    expect((await world.answer(alice.call('resume_task', ref))).checkpoint).toBeNull();
    for (const page of [1, 2]) await world.answer(alice.call('checkpoint_task', { ...ref, data: { page } }));
    await world.restart();
    const [alice2, bob2] = [await world.peer('alice'), await world.peer('bob')];
    const resumed = await world.answer(alice2.call('resume_task', ref));
    expect(resumed).toMatchObject({
      checkpoint: { page: 2 },
      task: { state: 'running', checkpoint: { seq: 8, bytes: 10 } },
    });
    expect(types(logOf(world.store, id)).at(-1)).toBe('task.resumed');
    await world.answer(alice2.call('complete_task', { ...ref, result: { ok: true } }));
    const seen = await world.answer(bob2.call('get_task', ref));
    expect(seen).toMatchObject({ checkpoint: null, result: { ok: true }, task: { checkpoint: { seq: 8, bytes: 10 } } });
  });

  itDeep('[TK7] rejects ten megabytes before anything else, without harm to others', async () => {
    const { world, alice, id } = await aConversation({ maxFrameBytes: 32 * 1024 * 1024 });
    const ref = refOf(await started(world, alice, id));
    const before = logOf(world.store, id);
    const big = { data: 'x'.repeat(10 * 1024 * 1024) };
    for (const session_id of [id, 'e'.repeat(32)]) {
      const tooLarge = [
        () => alice.call('checkpoint_task', { ...ref, session_id, data: big }),
        () => alice.call('complete_task', { ...ref, session_id, result: big }),
        () => alice.call('fail_task', { ...ref, session_id, reason: 'x', result: big }),
      ];
      for (const call of tooLarge) await refused(world, call(), 'too_large');
    }
    expect(logOf(world.store, id)).toEqual(before);
    const most = { data: 'x'.repeat(256 * 1024 - 11) };
    expect(await world.answer(alice.call('checkpoint_task', { ...ref, data: most }))).toMatchObject({
      task: { checkpoint: { bytes: 256 * 1024 } },
    });
    expect(
      (await refusal(world, alice.call('checkpoint_task', { ...ref, data: { data: `${most.data}x` } }))).code,
    ).toBe('too_large');
    expect((await world.answer(alice.call('resume_task', ref))).checkpoint).toEqual(most);
  });

  it.each([
    ['progress over 1', 'progress_task', { progress: 7 }],
    ['negative progress', 'progress_task', { progress: -0.01 }],
    ['progress that is text', 'progress_task', { progress: '0.5' }],
    ['no progress', 'progress_task', {}],
    ['a checkpoint that is a list', 'checkpoint_task', { data: [1] }],
    ['a checkpoint that is nothing', 'checkpoint_task', {}],
    ['a failure without a reason', 'fail_task', {}],
    ['a result that is text', 'complete_task', { result: 'done' }],
    ['a task id that is none', 'complete_task', { task_id: '../hub' }],
    ['a title of nothing', 'start_task', { title: '' }],
    ['a title of 257 characters', 'start_task', { title: 'x'.repeat(257) }],
    ['a title with half a character', 'start_task', { title: '\ud800' }],
    ['a negative time', 'start_task', { title: 'x', ttl: -1 }],
    ['a time of two centuries', 'start_task', { title: 'x', ttl: '73000d' }],
    ['a capability with space around it', 'start_task', { title: 'x', capability: ' review' }],
  ])('[TK2] rejects %s by field', async (_what, op, wrong) => {
    const { world, alice, id } = await aConversation();
    const ref = refOf(await started(world, alice, id));
    const before = logOf(world.store, id);
    const frame = await world.answer(alice.ask(op, { ...ref, ...wrong }));
    expect(frame).toMatchObject({ ok: false, error: { code: 'bad_frame' } });
    expect(logOf(world.store, id)).toEqual(before);
  });

  it('[TK2] accepts a NaN progress as null, because JSON has no NaN', async () => {
    const { world, alice, id } = await aConversation();
    const ref = refOf(await started(world, alice, id));
    await world.answer(alice.call('progress_task', { ...ref, progress: Number.NaN }));
    expect((await world.answer(alice.call('get_task', ref))).task.progress).toBeNull();
  });

  it('[TK1] rejects a requester outside the session', async () => {
    const { world, alice, id } = await aConversation();
    await world.peer('carol');
    const asked = { session_id: id, title: 'x', requester: 'carol' };
    await refused(world, alice.call('start_task', asked), 'not_found');
  });

  it('[TK1] rejects a removed requester, and still knows the earlier start', async () => {
    const { world, alice, carol, id } = await aPanel();
    const asked = { session_id: id, title: 'x', requester: 'carol', idempotency_key: 'k' };
    await world.answer(alice.call('start_task', asked));
    await world.answer(carol.call('leave_session', { session_id: id }));
    const other = { session_id: id, title: 'y', requester: 'carol' };
    await refused(world, alice.call('start_task', other), 'not_found', {
      field: 'params.requester',
      status: 'removed',
    });
    expect(await world.answer(alice.call('start_task', asked))).toMatchObject({ duplicate: true });
  });
});

describe('reading tasks', () => {
  it('[TK8] lists those of a session by state and owner, in pages', async () => {
    const { world, alice, bob, id } = await aConversation();
    const all: TaskAnswer[] = [];
    for (const [i, peer] of [alice, bob, alice, bob, alice].entries()) {
      all.push(await world.answer(peer.call('start_task', { session_id: id, title: `t${i}` })));
    }
    await world.answer(alice.call('complete_task', refOf(all[0]?.task as Task)));
    const list = async (more: object, limit = 2) => {
      const titles: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page: { tasks: readonly Task[]; next: string | null } = await world.answer(
          bob.call('list_tasks', { session_id: id, ...more, limit, ...(after === undefined ? {} : { after }) }),
        );
        expect(page.tasks.length).toBeLessThanOrEqual(limit);
        titles.push(...page.tasks.map(({ title }) => title));
        after = page.next;
      }
      return titles;
    };
    expect(await list({})).toEqual(['t0', 't1', 't2', 't3', 't4']);
    for (const owner of [alice.agentId, 'alice']) expect(await list({ owner })).toEqual(['t0', 't2', 't4']);
    expect(await list({ owner: 'nobody' })).toEqual([]);
    expect(await list({ states: ['open'] }, 1)).toEqual(['t1', 't2', 't3', 't4']);
    expect(await list({ states: ['done'] })).toEqual(['t0']);
  });

  it('[TK8] lists the open tasks of the own sessions only', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    const mine = await started(world, alice, id);
    const ended = await started(world, alice, id);
    await world.answer(alice.call('cancel_task', refOf(ended)));
    const { session } = await world.answer(
      alice.call('create_session', { type: 'conversation', participants: [carol.agentId], wait: 'created' }),
    );
    await world.answer(carol.call('ack_invite', { session_id: session.session_id }));
    const hers = await started(world, carol, session.session_id);
    world.hub.evictIdle();
    const ids = async (peer: Peer) =>
      (await world.answer(peer.call('list_tasks', {}))).tasks.map(({ task_id }) => task_id);
    expect((await ids(alice)).sort()).toEqual([mine.task_id, hers.task_id].sort());
    expect(await ids(bob)).toEqual([mine.task_id]);
    expect(await ids(carol)).toEqual([hers.task_id]);
  });

  it('[TK8, L7] shows none to removed participants and invitees', async () => {
    const { world, alice, carol, id } = await aPanel();
    const task = await started(world, alice, id);
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    const dave = await world.peer('dave');
    await world.answer(alice.call('add_participant', { session_id: id, participant: 'dave' }));
    for (const peer of [carol, dave]) {
      await refused(world, peer.call('get_task', refOf(task)), 'forbidden');
      await refused(world, peer.call('list_tasks', { session_id: id }), 'forbidden');
      expect(await world.answer(peer.call('list_tasks', {}))).toEqual({ tasks: [], next: null });
    }
  });

  it('[TK8] knows the last 256 ended tasks; older ones are in the log only', async () => {
    const { world, alice, id } = await aConversation();
    const ids: string[] = [];
    for (let i = 0; i < 257; i++) {
      const task = await started(world, alice, id);
      ids.push(task.task_id);
      await world.answer(alice.call('complete_task', refOf(task)));
    }
    const get = (task_id = '') => alice.call('get_task', { session_id: id, task_id });
    expect(await refusal(world, get(ids[0]))).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('the last 256'),
    });
    expect((await world.answer(get(ids[1]))).task.state).toBe('done');
  });
});
