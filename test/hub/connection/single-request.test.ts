// Requests without a connection, with a simulated clock and disk.

import type { OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Credential } from '../../../src/core/records/access/credentials.ts';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import { aCast, DAY, HOUR, leap, leave, logOf, opened, openGate, text, types } from '../scene.ts';
import { SlowReads } from '../slow-stores.ts';

/** What a port's authenticator returns for the name. */
function credentialFor(name: string, more: Partial<Credential> = {}): Credential {
  return { id: `test:${name}`, name, grants: [], expires_at_ms: null, ...more };
}

interface Asking {
  readonly as?: string;
  readonly credential?: Credential | null;
}

async function talking(store = new FaultyStore()) {
  const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
  const id = await opened(world, alice, [bob], { ttl: 0, expectations: [] });
  const failures: string[] = [];
  const asked = (op: OperationName, params: object, { as, credential = credentialFor('alice') }: Asking = {}) =>
    world.hub.ask({
      op,
      params: async () => params,
      as: as ?? null,
      auth: { scheme: 'token' },
      authenticate: () => credential,
      unproven: () => failures.push(op),
    });
  const ask = (...args: Parameters<typeof asked>) => world.answer(asked(...args));
  return { world, alice, bob, id, asked, ask, failures };
}

it('[HT3] a request without a connection keeps a session from being orphaned', async () => {
  const { world, alice, bob, id, ask } = await talking();
  for (const peer of [alice, bob]) await leave(world, peer);
  await leap(world, DAY - HOUR);
  expect(await ask('get_session', { session_id: id })).toMatchObject({ session: { state: 'ACTIVE' } });
  await leap(world, DAY - HOUR);
  expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
  await leap(world, HOUR);
  expect(types(logOf(world.store, id)).at(-1)).toBe('session.expired');
});

it('[HT3] a request leaves existing bindings unchanged and notifies no one', async () => {
  const { world, alice, id, ask } = await talking();
  const [before, frames] = [world.hub.health(), alice.frames.length];
  await ask('post', text(id, 'hi'));
  expect(world.hub.health()).toMatchObject({ bound: before.bound, connections: before.connections });
  expect(alice.frames.slice(frames).filter(({ kind }) => kind === 'goodbye')).toEqual([]);
});

describe('its credential', () => {
  it('[HT2] is rejected if wrong, expired or unregistered; only the first two count as failures', async () => {
    const { id, ask, failures } = await talking();
    const post = text(id, 'hi');
    const over = credentialFor('alice', { expires_at_ms: 1 });
    for (const credential of [null, over, credentialFor('nobody'), credentialFor('alice', { name: null })]) {
      const code = credential?.name === null ? 'bad_frame' : 'unauthenticated';
      await expect(ask('post', post, { credential })).rejects.toMatchObject({ code });
    }
    expect(failures).toEqual(['post', 'post']);
    await expect(ask('post', post, { as: 'bob' })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[HT2, AU3] is checked again when the request is judged', async () => {
    const store = new SlowReads();
    const { world, id, asked } = await talking(store);
    world.hub.evictIdle();
    store.gate.close();
    // The credential expires while the session is loaded.
    const credential = credentialFor('alice', { expires_at_ms: world.clock.now() + 10 });
    const posted = asked('post', text(id, 'hi'), { credential });
    const refused = expect(posted).rejects.toMatchObject({ code: 'unauthenticated' });
    await world.settle();
    world.clock.advance(1000);
    await openGate(world, store);
    await refused;
  });

  it('[HT2] brings its own grants, and none of another connection', async () => {
    const { world, id, ask } = await talking();
    const hide = { session_id: id, participant: 'bob' };
    await expect(ask('hide_participant', hide)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ask('list_schedules', { all: true })).rejects.toMatchObject({ code: 'forbidden' });
    const strong = { credential: credentialFor('alice', { grants: ['operate'] }) };
    expect(await ask('list_schedules', { all: true }, strong)).toMatchObject({ schedules: [] });
    expect(await ask('hide_participant', hide, strong)).toEqual({ state: 'ACTIVE' });
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.participant.hidden');
  });

  it('[HT1] can register the name it is for, and then act as it', async () => {
    const { ask } = await talking();
    const credential = credentialFor('carol');
    expect(await ask('register', { name: 'carol' }, { credential })).toMatchObject({ name: 'carol' });
    expect(await ask('get_resume', {}, { credential })).toMatchObject({ version: expect.any(Number) });
    await expect(ask('register', { name: 'dave' }, { credential })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

it('[HT4] a stopped hub rejects requests with a certain outcome', async () => {
  const { world, asked } = await talking();
  await world.hub.stop();
  await expect(asked('list_agents', {})).rejects.toMatchObject({
    code: 'unavailable',
    details: { outcome: 'refused' },
  });
});
