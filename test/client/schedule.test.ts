import { AgentClient } from 'parley-hub/client';
import type { Schedule } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { aWorld, HOUR } from '../hub/scene.ts';

async function joined() {
  const world = await aWorld();
  const connect = (name: string) =>
    world.answer(AgentClient.connect({ name, ids: world.ids, link: () => world.hub.connect() }));
  const alice = await connect('alice');
  const bob = await connect('bob');
  const session = { type: 'conversation', participants: ['bob'], inviteTimeout: '1h', requiredAcks: 1 };
  return { world, alice, bob, options: { expression: '0 * * * *', zone: 'UTC', session } };
}

describe('a client', () => {
  it('[SC4, SC6, SC12] schedules, lists, changes and deletes in its own words', async () => {
    const { world, alice, bob, options } = await joined();
    const made = await world.answer(alice.schedule('hourly', { ...options, missed: 'once', overlap: true }));
    expect(made).toMatchObject({
      name: 'hourly',
      missed: 'once',
      overlap: true,
      template: { type: 'conversation', participants: ['bob'], invite_timeout: '1h', required_acks: 1 },
    });
    await world.pass(HOUR);
    expect(bob.session((await all(world, alice))[0]?.last_run?.session_id ?? '').id).toMatch(/^[0-9a-f]{32}$/);
    const session = { ...options.session, ttl: '1d' };
    const changed = await world.answer(
      alice.updateSchedule(made.schedule_id, { name: 'other', session, paused: true }),
    );
    expect(changed).toMatchObject({ name: 'other', paused: true, expression: '0 * * * *', template: { ttl: '1d' } });
    await world.answer(alice.deleteSchedule(made.schedule_id));
    expect(await all(world, alice)).toEqual([]);
  });

  it('[CL4] refuses options there are none of before anything is sent', async () => {
    const { world, alice, options } = await joined();
    const wrong: readonly [object, RegExp][] = [
      [{ ...options, expresion: 'x' }, /^expresion: expected an option that there is/],
      [{ ...options, session: undefined }, /^session: expected an object with type/],
      [{ ...options, session: { ...options.session, key: 'k' } }, /^session\.key: expected an option/],
      [{ ...options, session: { ...options.session, wait: 'created' } }, /^session\.wait/],
    ];
    for (const [given, message] of wrong) {
      const error = await alice.schedule('x', given as typeof options).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'bad_frame', message: expect.stringMatching(message) });
    }
    expect(await all(world, alice)).toEqual([]);
  });
});

async function all(world: Awaited<ReturnType<typeof aWorld>>, alice: AgentClient): Promise<Schedule[]> {
  const found: Schedule[] = [];
  const listed = alice.schedules();
  for (let next = await world.answer(listed.next()); next.done !== true; next = await world.answer(listed.next())) {
    found.push(next.value);
  }
  return found;
}
