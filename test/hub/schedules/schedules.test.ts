import type { Params, Schedule } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { SCHEDULES_LOG } from '../../../src/core/ports/store.ts';
import { itDeep } from '../../support/size.ts';
import { type aWorld, DAY, HOUR, logOf, MINUTE, refusal, refused, releaseHold, SECOND } from '../scene.ts';
import { at, daily, opened, scheduled, scheduledSessions, theSchedule } from './schedule-scene.ts';

type Claim = Params<'create_schedule'>;

describe('create_schedule', () => {
  it('[SC4] answers with the schedule, its defaults and its next time', async () => {
    const { world, alice } = await scheduled();
    const made = await world.answer(alice.call('create_schedule', daily()));
    expect(made).toEqual({
      schedule_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      creator_id: alice.agentId,
      ...daily(),
      missed: 'skip',
      overlap: false,
      paused: false,
      created_at: at('2026-01-01T00:00'),
      updated_at: at('2026-01-01T00:00'),
      counts_from: at('2026-01-01T00:00'),
      next_run_at: at('2026-01-01T03:00'),
      last_run: null,
    });
    expect(await world.answer(alice.call('get_schedule', { schedule_id: made.schedule_id }))).toEqual(made);
  });

  const plain = { type: 'conversation', participants: ['bob'] };
  const of = (more: object) => ({ template: { ...plain, ...more } as Claim['template'] });
  const unheard = [{ name: 'unheard_of', on_violation: 'warn', params: {} }];
  const reserved = (label: string) =>
    new RegExp(`^params\\.template\\.labels\\.${label}: expected another label; this one is the hub's`);

  it.each<[string, Partial<Claim>, string, RegExp]>([
    [
      'expression',
      { expression: '99 * * * *' },
      'bad_frame',
      /^params\.expression: expected in the field for the minute/,
    ],
    ['time that never comes', { expression: '0 0 31 2 *' }, 'bad_frame', /within ten years, got "0 0 31 2 \*"/],
    ['zone', { zone: 'Mars/Phobos' }, 'bad_frame', /^params\.zone: expected a time zone/],
    ['blank name', { name: '  ' }, 'bad_frame', /^params\.name: expected text of 1 to 64 characters that are not all/],
    ['label schedule', of({ labels: { schedule: 'mine' } }), 'invalid_create', reserved('schedule')],
    ['label schedule_id', of({ labels: { schedule_id: 'mine' } }), 'invalid_create', reserved('schedule_id')],
    ['label scheduled_at', of({ labels: { scheduled_at: 'mine' } }), 'invalid_create', reserved('scheduled_at')],
    ['type', of({ type: 'unknown' }), 'invalid_create', /unknown/],
    [
      'participant',
      of({ participants: ['nobody'] }),
      'invalid_create',
      /^params\.template\.participants\.0: no agent with name or id "nobody"/,
    ],
    [
      'number of participants',
      of({ type: 'consulting', participants: ['bob', 'carol'] }),
      'invalid_create',
      /exactly 2/,
    ],
    ['knob', of({ knobs: { close_by: 'nobody' } }), 'invalid_create', /close_by/],
    ['expectation', of({ expectations: unheard }), 'invalid_create', /unheard_of/],
    ['label', of({ labels: { long: 'x'.repeat(2000) } }), 'too_large', /^params\.template\.labels\.long/],
    ['size of the template', of({ knobs: { x: 'x'.repeat(70_000) } }), 'too_large', /^params\.template/],
    [
      'parent',
      of({ parent_session_id: 'a'.repeat(32) }),
      'bad_frame',
      /^params\.template\.parent_session_id: expected what create_session takes/,
    ],
    ['key', of({ idempotency_key: 'k' }), 'bad_frame', /^params\.template\.idempotency_key/],
    ['missed policy', { missed: 'twice' as 'once' }, 'bad_frame', /^params\.missed: expected skip or once/],
    ['name', { name: 'x'.repeat(65) }, 'bad_frame', /^params\.name/],
  ])('[SC3, SC4] rejects a wrong %s and stores nothing', async (_what, wrong, code, message) => {
    const { world, alice } = await scheduled();
    await world.peer('carol');
    const error = await refusal(world, alice.call('create_schedule', { ...daily(), ...wrong }));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(logOf(world.store, SCHEDULES_LOG)).toEqual([]);
    expect(await world.answer(alice.call('list_schedules', {}))).toEqual({ schedules: [], next: null });
  });

  it('[SC4, RU6] rejects a session that the rule of its creator forbids', async () => {
    const { world, alice } = await scheduled();
    const rule = { access: { session_types: { initiate: ['consulting'] } } };
    await world.answer(alice.call('set_rule', { rule }));
    await refused(world, alice.call('create_schedule', daily()), 'forbidden');
  });

  it('[SC4] requires names that are unique per creator', async () => {
    const { world, alice, bob } = await scheduled();
    const made = await theSchedule(world, alice);
    const again = await refusal(world, alice.call('create_schedule', daily()));
    expect(again).toMatchObject({ code: 'conflict', details: { schedule_id: made.schedule_id } });
    const both = [
      alice.call('create_schedule', daily({ name: 'two' })),
      alice.call('create_schedule', daily({ name: 'two' })),
    ];
    const settled = Promise.allSettled(both);
    await world.settle();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const others = daily({ template: { type: 'conversation', participants: ['alice'] } });
    expect(await world.answer(bob.call('create_schedule', others))).toMatchObject({ name: 'nightly' });
    const renamed = alice.call('update_schedule', { schedule_id: made.schedule_id, name: 'two' });
    await refused(world, renamed, 'conflict');
  });

  it('[SC4] bounds the schedules per creator and in total', async () => {
    const { world, alice, bob } = await scheduled({ maxSchedules: 3, maxSchedulesPerCreator: 2 });
    for (const name of ['a', 'b']) await theSchedule(world, alice, { name });
    expect(await refusal(world, alice.call('create_schedule', daily({ name: 'c' })))).toMatchObject({
      code: 'too_large',
      message: 'you may have at most 2 schedules; delete one first',
    });
    const template = { type: 'conversation', participants: ['alice'] };
    await theSchedule(world, bob, { name: 'a', template });
    expect(await refusal(world, bob.call('create_schedule', daily({ name: 'b', template })))).toMatchObject({
      code: 'too_large',
      message: 'this hub accepts at most 3 schedules; delete one first',
    });
  });
});

describe('a schedule', () => {
  it('[SC6] opens a session at its time in the name of its creator, bound or not, with labels of its origin', async () => {
    const { world, alice, bob } = await scheduled();
    const template = { type: 'conversation', participants: ['bob'], labels: { team: 'red' }, intent: 'stand-up' };
    const { schedule_id } = await theSchedule(world, alice, { template });
    alice.link.close();
    await world.pass(3 * HOUR - SECOND);
    expect(await scheduledSessions(world)).toEqual([]);
    await world.pass(SECOND);
    const [session] = await scheduledSessions(world);
    expect(session).toMatchObject({
      creator_id: alice.agentId,
      state: 'INVITED',
      created_at: at('2026-01-01T03:00'),
      labels: {
        team: 'red',
        intent: 'stand-up',
        schedule: 'nightly',
        schedule_id,
        scheduled_at: at('2026-01-01T03:00'),
      },
    });
    expect(bob.notifies().map(({ envelope }) => envelope.event_type)).toEqual(['session.invite']);
    const back = await world.peer('alice');
    expect(await world.answer(back.call('get_schedule', { schedule_id }))).toMatchObject({
      next_run_at: at('2026-01-02T03:00'),
      last_run: {
        scheduled_at: at('2026-01-01T03:00'),
        at: at('2026-01-01T03:00'),
        outcome: 'opened',
        session_id: session?.session_id,
        error: null,
        missed_since: null,
      },
    });
  });

  it('[SC6] opens at every time', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '*/20 * * * *', overlap: true });
    await world.pass(2 * HOUR);
    expect((await scheduledSessions(world)).map(({ labels }) => labels.scheduled_at)).toEqual(
      ['00:20', '00:40', '01:00', '01:20', '01:40', '02:00'].map((time) => at(`2026-01-01T${time}`)),
    );
  });

  it('[SC6] opens every second if asked to', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '* * * * * *', overlap: true });
    await world.pass(10 * SECOND);
    expect(await scheduledSessions(world)).toHaveLength(10);
  });

  it('[SC6] finds all times in a late sweep', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '*/5 * * * * *', overlap: true });
    world.clock.advance(21 * SECOND);
    world.hub.sweep();
    await world.settle();
    expect(await opened(world)).toEqual(['00:00:05', '00:00:10', '00:00:15', '00:00:20']);
  });

  it('[SC9] does not open before the last session has ended, by default', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { expression: '0 * * * *' });
    await world.pass(HOUR);
    await join(world, alice);
    await world.pass(HOUR);
    expect(await opened(world)).toEqual(['01:00:00']);
    const [first] = await scheduledSessions(world);
    expect(await world.answer(alice.call('get_schedule', { schedule_id }))).toMatchObject({
      last_run: { outcome: 'overlap', scheduled_at: at('2026-01-01T02:00'), session_id: null },
      next_run_at: at('2026-01-01T03:00'),
    });
    await world.answer(alice.call('close_session', { session_id: first?.session_id ?? '', wait: 'closed' }));
    await world.pass(HOUR);
    expect(await opened(world)).toEqual(['01:00:00', '03:00:00']);
  });

  it('[SC9, L3] knows of a session that has not ended after a restart', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '0 * * * *' });
    await world.pass(HOUR);
    await join(world, alice);
    await world.restart();
    await world.pass(HOUR);
    expect(await opened(world)).toEqual(['01:00:00']);
  });

  itDeep('[SC10] reports why it cannot open, and tries the next time', async () => {
    const { world, alice, bob } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
    await world.pass(DAY);
    const { last_run, next_run_at } = await world.answer(alice.call('get_schedule', { schedule_id }));
    expect(last_run).toMatchObject({ outcome: 'failed', session_id: null, error: { code: 'forbidden' } });
    expect(next_run_at).toBe(at('2026-01-02T03:00'));
    await world.answer(world.hub.grant('bob', ['rules']));
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['*'] } } }));
    await world.pass(DAY);
    expect((await scheduledSessions(world)).map(({ labels }) => labels.scheduled_at)).toEqual([at('2026-01-02T03:00')]);
  });

  it('[SC10, RU6] obeys the creator’s limit on sessions when it opens', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { expression: '0 * * * *', overlap: true });
    await world.answer(alice.call('set_rule', { rule: { limits: { max_concurrent_sessions: 1 } } }));
    await world.pass(HOUR);
    await join(world, alice);
    await world.pass(HOUR);
    expect(await opened(world)).toEqual(['01:00:00']);
    expect(await world.answer(alice.call('get_schedule', { schedule_id }))).toMatchObject({
      last_run: {
        outcome: 'failed',
        error: { code: 'forbidden', message: expect.stringContaining('alice may be in at most 1') },
      },
    });
  });

  itDeep('[SC10] fails without its invitee, and its other times come', async () => {
    const { world, alice, bob } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    await world.answer(bob.call('unregister', {}));
    await world.pass(2 * DAY);
    expect(await world.answer(alice.call('get_schedule', { schedule_id }))).toMatchObject({
      last_run: { outcome: 'failed', scheduled_at: at('2026-01-02T03:00'), error: { code: 'invalid_create' } },
    });
  });

  it('[SC10] waits for a slow disk', async () => {
    const { world, alice } = await scheduled({ maxFlushMs: 3 * SECOND });
    await theSchedule(world, alice, { expression: '0 * * * *' });
    await world.pass(HOUR - 5 * SECOND);
    world.hold = true;
    void alice.ask('set_resume', { summary: 'held up' });
    await world.pass(20 * SECOND);
    expect(await opened(world)).toEqual([]);
    await releaseHold(world);
    await world.pass(5 * SECOND);
    expect(await opened(world)).toEqual(['01:00:00']);
  });

  it('[SC12] opens nothing while paused, and has missed nothing afterwards', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { missed: 'once' });
    const paused = await world.answer(alice.call('update_schedule', { schedule_id, paused: true }));
    expect(paused).toMatchObject({ paused: true, next_run_at: null });
    await world.pass(DAY);
    const resumed = await world.answer(alice.call('update_schedule', { schedule_id, paused: false }));
    expect(resumed).toMatchObject({ paused: false, next_run_at: at('2026-01-02T03:00'), last_run: null });
    await world.pass(SECOND);
    expect(await scheduledSessions(world)).toEqual([]);
  });

  it('[SC12] counts changed times from then on; absent members stay', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id, ...made } = await theSchedule(world, alice, { missed: 'once' });
    await world.pass(HOUR);
    const changed = await world.answer(alice.call('update_schedule', { schedule_id, expression: '30 0 * * *' }));
    const now = at('2026-01-01T01:00');
    const expression = '30 0 * * *';
    expect(changed).toEqual({
      ...made,
      schedule_id,
      expression,
      updated_at: now,
      counts_from: now,
      next_run_at: at('2026-01-02T00:30'),
    });
    await world.pass(SECOND);
    expect(await scheduledSessions(world)).toEqual([]);
    await refused(world, alice.call('update_schedule', { schedule_id, zone: 'Nowhere' }), 'bad_frame');
    const nobody = { type: 'conversation', participants: ['nobody'] };
    await refused(world, alice.call('update_schedule', { schedule_id, template: nobody }), 'invalid_create');
  });

  it('[SC12] opens nothing once deleted; sessions it opened continue', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { expression: '0 * * * *' });
    await world.pass(HOUR);
    await join(world, alice);
    await world.answer(alice.call('delete_schedule', { schedule_id }));
    await refused(world, alice.call('delete_schedule', { schedule_id }), 'not_found');
    await world.pass(30 * MINUTE);
    expect((await scheduledSessions(world)).map(({ state }) => state)).toEqual(['ACTIVE']);
    await world.pass(5 * HOUR);
    expect(await opened(world)).toEqual(['01:00:00']);
    await world.restart();
    await refused(world, (await world.peer('alice')).call('get_schedule', { schedule_id }), 'not_found');
  });

  it('[SC12] is deleted with its creator', async () => {
    const { world, alice, bob } = await scheduled();
    await theSchedule(world, alice);
    await world.answer(world.hub.grant('bob', ['operate']));
    await world.answer(alice.call('unregister', {}));
    expect(await world.answer(bob.call('list_schedules', { all: true }))).toEqual({ schedules: [], next: null });
    await world.pass(DAY);
    expect(await scheduledSessions(world)).toEqual([]);
  });

  it('[SC13, EV1] emits events and audit records', async () => {
    const { world, alice } = await scheduled();
    const heard: unknown[] = [];
    for (const name of ['scheduleCreated', 'scheduleUpdated', 'scheduleDeleted'] as const) {
      world.hub.on(name, ({ schedule }) => heard.push([name, schedule.name]));
    }
    world.hub.on('scheduleRan', ({ schedule, run }) => heard.push(['scheduleRan', schedule.name, run.outcome]));
    const { schedule_id } = await theSchedule(world, alice);
    await world.pass(3 * HOUR);
    await world.answer(alice.call('update_schedule', { schedule_id, paused: true }));
    await world.answer(alice.call('delete_schedule', { schedule_id }));
    expect(heard).toEqual([
      ['scheduleCreated', 'nightly'],
      ['scheduleRan', 'nightly', 'opened'],
      ['scheduleUpdated', 'nightly'],
      ['scheduleDeleted', 'nightly'],
    ]);
    const audit = (await world.hub.audit()).filter(({ kind }) => kind.startsWith('schedule_'));
    const [session] = await scheduledSessions(world);
    expect(audit.map(({ kind, actor, session_id, detail }) => [kind, actor, session_id, detail.schedule_id])).toEqual([
      ['schedule_created', alice.agentId, null, schedule_id],
      ['schedule_ran', alice.agentId, session?.session_id, schedule_id],
      ['schedule_updated', alice.agentId, null, schedule_id],
      ['schedule_deleted', alice.agentId, null, schedule_id],
    ]);
  });
});

describe('the owner of a schedule', () => {
  it('[SC5, L7] sees it alone: to others it does not exist', async () => {
    const { world, alice, bob } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    expect(await world.answer(bob.call('list_schedules', {}))).toEqual({ schedules: [], next: null });
    await refused(world, bob.call('list_schedules', { all: true }), 'forbidden');
    const unknown = 'f'.repeat(32);
    for (const op of ['get_schedule', 'update_schedule', 'delete_schedule'] as const) {
      const seen = await refusal(world, bob.call(op, { schedule_id }));
      const none = await refusal(world, bob.call(op, { schedule_id: unknown }));
      expect([op, seen.code, seen.message.replace(schedule_id, unknown)]).toEqual([op, none.code, none.message]);
    }
    expect(await world.answer(alice.call('get_schedule', { schedule_id }))).toMatchObject({ paused: false });
  });

  it('[SC5] shares it with operators, which may pause and delete it, and nothing else', async () => {
    const { world, alice, bob } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    await world.answer(world.hub.grant('bob', ['operate']));
    const { schedules } = await world.answer(bob.call('list_schedules', { all: true }));
    expect(schedules.map(({ name }) => name)).toEqual(['nightly']);
    for (const change of [
      { name: 'x' },
      { expression: '* * * * *' },
      { template: daily().template },
      { overlap: true },
    ]) {
      await refused(world, bob.call('update_schedule', { schedule_id, paused: true, ...change }), 'forbidden');
    }
    expect(await world.answer(bob.call('update_schedule', { schedule_id, paused: true }))).toMatchObject({
      paused: true,
    });
    expect(await world.answer(bob.call('delete_schedule', { schedule_id }))).toEqual({ schedule_id });
  });

  it('[SC5] lists it in pages, each schedule once', async () => {
    const { world, alice } = await scheduled();
    const made: Schedule[] = [];
    for (let i = 0; i < 7; i++) made.push(await theSchedule(world, alice, { name: `n${i}` }));
    const found: Schedule[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await world.answer(
        alice.call('list_schedules', { limit: 3, ...(after === undefined ? {} : { after }) }),
      );
      expect(page.schedules.length).toBeLessThanOrEqual(3);
      found.push(...page.schedules);
      after = page.next;
    }
    expect(found).toEqual(made.sort((a, b) => (a.schedule_id < b.schedule_id ? -1 : 1)));
  });

  it('[SC11, L1] sees it once it is durable', async () => {
    const { world, alice } = await scheduled();
    const heard: string[] = [];
    world.hub.on('scheduleCreated', () => heard.push('created'));
    world.hold = true;
    const asked = alice.ask('create_schedule', daily());
    await world.settle();
    expect(heard).toEqual([]);
    expect(await world.answer(alice.call('list_schedules', {}))).toEqual({ schedules: [], next: null });
    world.hold = false;
    await world.answer(asked);
    expect(heard).toEqual(['created']);
  });

  it('[SC11, AM9] gets a new decision after a conflict', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice);
    world.store.conflict(SCHEDULES_LOG);
    await theSchedule(world, alice, { name: 'second' });
    world.store.conflict(SCHEDULES_LOG);
    await refused(world, alice.call('create_schedule', daily()), 'conflict');
    const { schedules } = await world.answer(alice.call('list_schedules', {}));
    expect(schedules.map(({ name }) => name).sort()).toEqual(['nightly', 'second']);
  });
});

/** bob joins everything it is invited to. */
async function join(world: Awaited<ReturnType<typeof aWorld>>, alice: { agentId: string }): Promise<void> {
  const bob = await world.peer('bob');
  for (const { session_id, state, creator_id } of await scheduledSessions(world)) {
    if (state !== 'INVITED' || creator_id !== alice.agentId) continue;
    await world.answer(bob.call('ack_invite', { session_id }));
  }
}
