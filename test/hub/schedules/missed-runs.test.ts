// Restarts, crashes and clock jumps: no scheduled time opens twice, and missed times follow the declared policy.

import { join } from 'node:path';
import fc from 'fast-check';
import { conversation } from 'parley-hub/adapters/conversation';
import type { Store } from 'parley-hub/core';
import { openStore } from 'parley-hub/node';
import { Peer, SimClock, seededIds } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { SCHEDULES_LOG } from '../../../src/core/ports/store.ts';
import { Hub } from '../../../src/hub/hub.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { itDeep, runs as sized } from '../../support/size.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { DAY, EXPECTATIONS, HOUR, logOf, MINUTE, SECOND } from '../scene.ts';
import { at, daily, opened, scheduled, scheduledSessions, theSchedule } from './schedule-scene.ts';

async function runsIn(world: World) {
  return (await world.hub.audit()).filter(({ kind }) => kind === 'schedule_ran');
}

async function lastRun(world: World, schedule_id: string) {
  const alice = await world.peer('alice');
  return (await world.answer(alice.call('get_schedule', { schedule_id }))).last_run;
}

/** Stops the hub for this long. */
async function downFor(world: World, ms: number): Promise<void> {
  await world.hub.stop();
  world.clock.advance(ms);
  await world.restart();
  await world.pass(SECOND);
}

describe('times missed while the hub was down', () => {
  it('[SC8] are skipped by default, which is recorded once', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    await downFor(world, 2 * DAY + 5 * HOUR);
    expect(await scheduledSessions(world)).toEqual([]);
    const missed = {
      scheduled_at: at('2026-01-03T03:00'),
      outcome: 'missed',
      session_id: null,
      missed_since: at('2026-01-01T03:00'),
    };
    expect(await lastRun(world, schedule_id)).toMatchObject(missed);
    await downFor(world, HOUR);
    const audit = await runsIn(world);
    expect(audit.map(({ detail }) => detail)).toEqual([
      { ...missed, session_id: undefined, schedule_id, name: 'nightly', error: null, at: '2026-01-03T05:00:01.000Z' },
    ]);
    await world.pass(DAY);
    expect((await scheduledSessions(world)).map(({ labels }) => labels.scheduled_at)).toEqual([at('2026-01-04T03:00')]);
  });

  it('[SC8] with `once` are replaced by the latest of them, at the start', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { missed: 'once' });
    await downFor(world, 2 * DAY + 5 * HOUR);
    const [session, ...others] = await scheduledSessions(world);
    expect(others).toEqual([]);
    expect(session).toMatchObject({
      created_at: '2026-01-03T05:00:01.000Z',
      labels: { scheduled_at: at('2026-01-03T03:00') },
    });
    expect(await lastRun(world, schedule_id)).toMatchObject({
      outcome: 'opened',
      session_id: session?.session_id,
      missed_since: at('2026-01-01T03:00'),
    });
    await downFor(world, HOUR);
    expect(await scheduledSessions(world)).toHaveLength(1);
  });

  it('[SC8] cost the same however many they are', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '* * * * * *', missed: 'once' });
    await downFor(world, 300 * DAY);
    expect(await opened(world)).toEqual(['00:00:01']);
  });

  it('[SC8] exclude times at most 60 s late', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice);
    await downFor(world, 3 * HOUR + 59 * SECOND);
    expect(await opened(world)).toEqual(['03:00:00']);
  });

  it('[SC8] include later times', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    await downFor(world, 3 * HOUR + 60 * SECOND);
    expect(await lastRun(world, schedule_id)).toMatchObject({ outcome: 'missed' });
  });

  it('[SC8] exclude the time that is due now', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '*/10 * * * *' });
    await downFor(world, HOUR + 30 * SECOND);
    expect(await opened(world)).toEqual(['01:00:00']);
  });

  it('[SC8, SC9] do not open beside a session that has not ended', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, {
      expression: '0 * * * *',
      missed: 'once',
      template: { type: 'conversation', participants: ['bob'], required_acks: 1, ttl: '1d', invite_timeout: '1d' },
    });
    await world.pass(HOUR);
    await downFor(world, 5 * HOUR);
    expect(await opened(world)).toEqual(['01:00:00']);
    expect(await lastRun(world, schedule_id)).toMatchObject({
      outcome: 'overlap',
      scheduled_at: at('2026-01-01T06:00'),
    });
  });
});

describe('a session that expired while the hub was down', () => {
  const template = { type: 'conversation', participants: ['bob'], ttl: '1h', invite_timeout: '30d', expectations: [] };

  it.each([1, 2, 3])('[SC8, SC9] does not block a missed time after %i days', async (days) => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { missed: 'once', template });
    await world.pass(3 * HOUR + 30 * MINUTE);
    await downFor(world, days * DAY);
    expect(await opened(world)).toEqual(['03:00:00', '03:00:00']);
    expect(await lastRun(world, schedule_id)).toMatchObject({
      outcome: 'opened',
      scheduled_at: at(`2026-01-0${1 + days}T03:00`),
    });
  });

  it('[SC9] does not overlap with the next time if it expires exactly then', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '0 * * * *', template });
    await world.pass(4 * HOUR);
    expect(await opened(world)).toEqual(['01:00:00', '02:00:00', '03:00:00', '04:00:00']);
  });

  it('[SC9] does not overlap while it only waits for acks', async () => {
    const { world, alice, bob } = await scheduled();
    const slow = { ...template, ttl: '30d', drain_timeout: '1h' };
    await theSchedule(world, alice, { expression: '0 * * * *', template: slow });
    await world.pass(HOUR);
    const session_id = (await scheduledSessions(world))[0]?.session_id ?? '';
    await world.answer(bob.call('ack_invite', { session_id }));
    bob.acks = false;
    await world.pass(30 * MINUTE);
    await world.answer(alice.call('close_session', { session_id }));
    await world.pass(30 * MINUTE);
    expect((await scheduledSessions(world))[0]?.state).toBe('CLOSING');
    expect(await opened(world)).toEqual(['01:00:00', '02:00:00']);
  });
});

describe('a crash', () => {
  itDeep('[SC7, SC11] at any moment of a run opens the time once', async () => {
    // Hold the disk for this many syncs, then crash and come back within the minute.
    for (let turns = 0; turns < 4; turns++) {
      for (const kept of [true, false]) {
        const { world, alice } = await scheduled();
        const { schedule_id } = await theSchedule(world, alice, { missed: 'once' });
        await world.pass(3 * HOUR - SECOND);
        world.hold = true;
        await world.pass(SECOND);
        for (let i = 0; i < turns; i++) {
          world.store.sync();
          await world.settle();
        }
        world.hold = false;
        await world.crash(() => kept);
        await world.pass(3 * SECOND);
        expect(await opened(world)).toEqual(['03:00:00']);
        const [session] = await scheduledSessions(world);
        expect(await lastRun(world, schedule_id)).toMatchObject({ outcome: 'opened', session_id: session?.session_id });
        await world.pass(HOUR);
        expect(await opened(world)).toEqual(['03:00:00']);
      }
    }
  });

  it('[SC7, SC9] between the session and its record is noticed days later, even as an overlap', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, {
      missed: 'once',
      template: { type: 'conversation', participants: ['bob'], ttl: '30d', invite_timeout: '30d' },
    });
    await world.pass(3 * HOUR - SECOND);
    world.hold = true;
    await world.pass(SECOND);
    await world.crash(() => true);
    expect(await opened(world)).toEqual(['03:00:00']);
    world.hold = false;
    world.clock.advance(3 * DAY);
    await world.crash();
    await world.pass(SECOND);
    expect(await scheduledSessions(world)).toHaveLength(1);
    const runs = await runsIn(world);
    expect(runs.map(({ detail }) => [detail.scheduled_at, detail.outcome])).toEqual([
      [at('2026-01-01T03:00'), 'opened'],
      [at('2026-01-04T03:00'), 'overlap'],
    ]);
    expect(await lastRun(world, schedule_id)).toMatchObject({ outcome: 'overlap' });
  });

  it('[SC7] or a late jump opens no time again, even after create keys have expired', async () => {
    const { world, alice } = await scheduled({ createKeyMs: SECOND });
    await theSchedule(world, alice, { expression: '0 * * * *', missed: 'once', overlap: true });
    await world.pass(3 * HOUR);
    world.clock.jump(-90 * MINUTE);
    await world.pass(SECOND);
    // Two o'clock comes again, and is noticed late.
    world.clock.advance(50 * MINUTE);
    await world.pass(SECOND);
    expect(await opened(world)).toEqual(['01:00:00', '02:00:00', '03:00:00']);
  });
});

describe('a clock that is set', () => {
  it('[SC7] back repeats nothing, and continues from there', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice, { expression: '0 * * * *', overlap: true });
    await world.pass(2 * HOUR);
    world.clock.jump(-90 * MINUTE);
    await world.pass(SECOND);
    // It is half past twelve again; one and two o'clock have run.
    await world.pass(2 * HOUR + 30 * MINUTE);
    expect(await opened(world)).toEqual(['01:00:00', '02:00:00', '03:00:00']);
    expect(await lastRun(world, schedule_id)).toMatchObject({ scheduled_at: at('2026-01-01T03:00') });
    const runs = await runsIn(world);
    expect(runs).toHaveLength(3);
  });

  it('[SC7] back by seconds after a failed run does not retry it', async () => {
    const { world, alice, bob } = await scheduled();
    await theSchedule(world, alice);
    await world.answer(bob.call('unregister', {}));
    await world.pass(3 * HOUR);
    world.clock.jump(-5 * SECOND);
    await world.pass(MINUTE);
    const runs = await runsIn(world);
    expect(runs).toHaveLength(1);
  });

  it.each(['skip', 'once'] as const)('[SC7, SC8] a year ahead and back again blocks nothing (%s)', async (missed) => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '0 * * * *', missed, overlap: true });
    world.clock.jump(365 * DAY + 30 * MINUTE);
    await world.pass(SECOND);
    world.clock.jump(-365 * DAY - 30 * MINUTE);
    await world.pass(2 * HOUR);
    const times = (await scheduledSessions(world)).map(({ labels }) => labels.scheduled_at ?? '');
    expect(times.filter((time) => time < '2027')).toEqual([at('2026-01-01T01:00'), at('2026-01-01T02:00')]);
    expect(times.filter((time) => time >= '2027')).toHaveLength(missed === 'once' ? 1 : 0);
  });

  itDeep(
    '[SC7, SC8] in any order with restarts and crashes: no time opens twice',
    async () => {
      const step = fc.oneof(
        fc.record({ pass: fc.integer({ min: 1, max: 40 }) }),
        fc.record({ jump: fc.integer({ min: -3600, max: 3600 }) }),
        fc.record({ crash: fc.boolean() }),
        fc.record({ down: fc.integer({ min: 0, max: 600 }) }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 12 }),
          fc.constantFrom('skip', 'once'),
          fc.boolean(),
          async (steps, missed, overlap) => {
            const { world, alice } = await scheduled();
            await theSchedule(world, alice, { expression: '*/15 * * * * *', missed, overlap });
            for (const one of steps) {
              if ('pass' in one) await world.pass(one.pass * SECOND);
              else if ('jump' in one) world.clock.jump(one.jump * SECOND);
              else if ('down' in one) await downFor(world, one.down * SECOND);
              else {
                world.hold = true;
                await world.pass(15 * SECOND);
                world.hold = false;
                await world.crash(() => one.crash);
              }
            }
            const times = (await scheduledSessions(world)).map(({ labels }) => labels.scheduled_at);
            expect(new Set(times).size).toBe(times.length);
          },
        ),
        { numRuns: sized(300) },
      );
    },
    120_000,
  );
});

describe('on a data folder', () => {
  it('[SC7, SC8, SC11, L3] keeps schedules and their last runs over restarts', async () => {
    const folder = tempFolder('schedules');
    const clock = new SimClock();
    const ids = seededIds(7);
    const start = async (): Promise<{ hub: Hub; store: Store; alice: Peer; bob: Peer }> => {
      const { store } = await openStore(join(folder, 'data'));
      const hub = await Hub.start({ store, clock, ids, adapters: [conversation], ...EXPECTATIONS });
      const [alice, bob] = [new Peer(hub.connect()), new Peer(hub.connect())];
      for (const [peer, name] of [
        [alice, 'alice'],
        [bob, 'bob'],
      ] as const) {
        peer.hello(name);
        await store.position('hub');
        await peer.call('register', { name }).catch(() => {});
      }
      return { hub, store, alice, bob };
    };
    const times = async (store: Store): Promise<unknown[]> =>
      (await store.list({ limit: 100 })).heads.map(({ head }) => head.labels.scheduled_at).reverse();
    const first = await start();
    const made = await first.alice.call('create_schedule', daily({ missed: 'once', overlap: true }));
    const ran = nextRunOf(first.hub);
    clock.advance(3 * HOUR);
    first.hub.sweep();
    await ran;
    expect(await times(first.store)).toEqual([at('2026-01-01T03:00')]);
    await first.hub.stop();

    clock.advance(3 * DAY);
    const second = await start();
    const { schedules } = await second.alice.call('list_schedules', {});
    expect(schedules).toMatchObject([
      {
        ...made,
        next_run_at: at('2026-01-02T03:00'),
        last_run: { outcome: 'opened', scheduled_at: at('2026-01-01T03:00') },
      },
    ]);
    const again = nextRunOf(second.hub);
    second.hub.sweep();
    await again;
    await second.hub.stop();
    const third = await start();
    third.hub.sweep();
    expect(await times(third.store)).toEqual([at('2026-01-01T03:00'), at('2026-01-04T03:00')]);
    await third.hub.stop();
  });
});

function nextRunOf(hub: Hub): Promise<void> {
  return new Promise((resolve) => void hub.on('scheduleRan', () => resolve()));
}

describe('the log of schedules', () => {
  it('[SC11] holds definitions and no runs, so that a start reads no history', async () => {
    const { world, alice } = await scheduled();
    await theSchedule(world, alice, { expression: '* * * * *', overlap: true });
    await world.pass(HOUR);
    expect(logOf(world.store, SCHEDULES_LOG).map(({ event_type }) => event_type)).toEqual(['schedule.created']);
  });
});
