/** A stand-up at nine in Berlin on a simulated clock, across a change to summer time and a downtime of the hub. */

import assert from 'node:assert/strict';
import { AgentClient, nextRun } from 'parley-hub';
import { discussion } from 'parley-hub/adapters/discussion';
import { SimClock, World } from 'parley-hub/testing';

const HOUR = 3_600_000;
// A Friday evening in March; on Sunday summer time begins.
const clock = new SimClock(Date.parse('2026-03-27T18:00:00Z'));
const world = await World.start({ clock, adapters: [discussion] });

async function join(name: string, says: string): Promise<AgentClient> {
  const link = () => world.hub.connect();
  const onTurn: NonNullable<Parameters<typeof AgentClient.connect>[0]['onTurn']> = (_turn, session) =>
    session.send(says);
  return world.answer(AgentClient.connect({ name, link, ids: world.ids, onTurn }));
}

const lead = await join('lead', 'What is new?');
await join('ada', 'The parser is done.');
const session = { type: 'discussion', participants: ['ada'], knobs: { rounds: 1 }, expectations: [] };
const timing = { expression: '0 9 * * *', zone: 'Europe/Berlin' };
const standUp = await world.answer(lead.schedule('stand-up', { ...timing, session }));
assert.equal(standUp.next_run_at, '2026-03-28T08:00:00.000Z');
// Computed without a hub: in summer time, nine o'clock is an hour earlier in UTC.
const sunday = nextRun(timing.expression, timing.zone, Date.parse('2026-03-28T12:00:00Z'));
assert.equal(sunday, Date.parse('2026-03-29T07:00:00Z'));

await world.pass(24 * HOUR);
// The hub is down on Sunday morning. By default, missed runs are skipped.
await world.hub.stop();
clock.advance(18 * HOUR);
await world.restart();
const back = await join('lead', 'What is new?');
await join('ada', 'The parser is done.');
await world.pass(24 * HOUR);

const runs = (await world.hub.audit()).filter(({ kind }) => kind === 'schedule_ran');
const became = runs.map(({ detail }) => `${detail.scheduled_at}: ${detail.outcome}`);
console.log(became.join('\n'));
assert.deepEqual(became, [
  '2026-03-28T08:00:00.000Z: opened',
  '2026-03-29T07:00:00.000Z: missed',
  '2026-03-30T07:00:00.000Z: opened',
]);

const sessions: string[] = [];
const listed = back.sessions();
for (let next = await world.answer(listed.next()); next.done !== true; next = await world.answer(listed.next())) {
  sessions.push(`${next.value.labels.schedule}: ${next.value.close_reason}`);
}
assert.deepEqual(sessions, ['stand-up: rounds_complete', 'stand-up: rounds_complete']);
await world.hub.stop();
