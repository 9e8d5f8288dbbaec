import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { MINUTE, SECOND, watch } from '../scene.ts';
import { opened, scheduled, scheduledSessions, theSchedule } from './schedule-scene.ts';

/** Its first time has come, and the arbiter is slow to answer. */
async function whileItOpens() {
  const answers: (() => void)[] = [];
  const asked = { isSlow: false };
  const authorizeOpen = async () => {
    if (asked.isSlow) await new Promise<void>((resolve) => answers.push(resolve));
    return true;
  };
  const { world, alice } = await scheduled({}, { arbiter: { authorizeOpen } });
  const { schedule_id } = await theSchedule(world, alice, { expression: '* * * * *' });
  const ran: string[] = [];
  world.hub.on('scheduleRan', ({ run }) => ran.push(run.outcome));
  asked.isSlow = true;
  await world.pass(MINUTE);
  expect(answers).toHaveLength(1);
  asked.isSlow = false;
  const say = async () => {
    for (const answer of answers.splice(0)) answer();
    await world.settle();
  };
  return { world, alice, schedule_id, ran, say };
}

type Change = (alice: Peer, schedule_id: string) => Promise<unknown>;

const CHANGES: readonly (readonly [string, Change])[] = [
  ['is deleted', (alice, schedule_id) => alice.call('delete_schedule', { schedule_id })],
  ['is paused', (alice, schedule_id) => alice.call('update_schedule', { schedule_id, paused: true })],
  ['gets other times', (alice, schedule_id) => alice.call('update_schedule', { schedule_id, expression: '0 5 * * *' })],
  ['goes with its creator', (alice) => alice.call('unregister', {})],
];

describe('a schedule while it opens', () => {
  it.each(CHANGES)('[SC12] that %s opens nothing once that is acknowledged', async (_what, change) => {
    const { world, alice, schedule_id, ran, say } = await whileItOpens();
    await world.answer(change(alice, schedule_id));
    await say();
    await world.pass(3 * MINUTE);
    expect(await scheduledSessions(world)).toEqual([]);
    expect(ran).toEqual([]);
    await world.restart();
    await world.pass(MINUTE);
    expect(await scheduledSessions(world)).toEqual([]);
  });

  it.each(CHANGES)('[SC12] that %s opens nothing while that is being written', async (_what, change) => {
    const { world, alice, schedule_id, say } = await whileItOpens();
    world.hold = true;
    const call = watch(change(alice, schedule_id));
    await world.settle();
    await say();
    world.store.sync(1);
    await world.settle();
    expect(call.state).toBe('answered');
    world.hold = false;
    await world.pass(3 * MINUTE);
    expect(await scheduledSessions(world)).toEqual([]);
  });

  it('[SC12] with another template opens with the new one, in time', async () => {
    const { world, alice, schedule_id, say } = await whileItOpens();
    const template = { type: 'conversation', participants: ['bob'], labels: { of: 'the new one' } };
    await world.answer(alice.call('update_schedule', { schedule_id, template }));
    await say();
    expect(await scheduledSessions(world)).toEqual([]);
    await world.pass(5 * SECOND);
    expect(await opened(world)).toEqual(['00:01:00']);
    expect((await scheduledSessions(world))[0]?.labels).toMatchObject({ of: 'the new one' });
  });
});
