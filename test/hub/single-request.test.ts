// Requests without a connection, in a hub whose clock and disk are in the test's hand.

import { conversation } from 'parley-hub/adapters/conversation';
import type { OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/core/credentials.ts';
import type { Peer } from '../../src/testing/peer.ts';
import { World } from '../../src/testing/world.ts';

const HOUR_MS = 3_600_000;

/** A peer over a port: what it registers belongs to its credential. */
function credentialFor(name: string, more: Partial<Credential> = {}): Credential {
  return { id: `test:${name}`, name, grants: [], expires_at_ms: null, ...more };
}

interface Asking {
  readonly as?: string;
  readonly credential?: Credential | null;
}

async function talking() {
  const world = await World.start({ adapters: [conversation] });
  const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
  const created = alice.call('create_session', { type: 'conversation', participants: [bob.agentId], wait: 'created' });
  const { session } = await world.answer(created);
  await world.answer(bob.call('ack_invite', { session_id: session.session_id }));
  const failures: string[] = [];
  const asked = (op: OperationName, params: object, { as, credential = credentialFor('alice') }: Asking = {}) =>
    world.hub.ask({
      op,
      params,
      as: as ?? null,
      auth: { scheme: 'test' },
      authenticate: () => credential,
      unproven: () => failures.push(op),
    });
  const ask = (...args: Parameters<typeof asked>) => world.answer(asked(...args));
  return { world, alice, bob, id: session.session_id, asked, ask, failures };
}

const leave = (peer: Peer): void => peer.link.close();

it('[HT3] a request of who has no connection keeps a session from being orphaned', async () => {
  const { world, alice, bob, id, ask } = await talking();
  for (const peer of [alice, bob]) leave(peer);
  await world.settle();
  const state = () =>
    ask('get_session', { session_id: id }).then((got) => (got as { session: { state: string } }).session.state);
  // A step of a sweep each would be many: the clock goes, and one sweep looks.
  const later = async (ms: number) => {
    world.clock.advance(ms);
    await world.pass(2000);
  };
  await later(23 * HOUR_MS);
  expect(await state()).toBe('ACTIVE');
  await later(23 * HOUR_MS);
  const summary = world.store.disk.log(id)?.entries.at(-1)?.envelope.event_type;
  expect(summary).toBe('session.opened');
  await later(25 * HOUR_MS);
  expect(world.store.disk.log(id)?.entries.at(-1)?.envelope.event_type).toBe('session.expired');
});

it('[HT3] a request changes nothing about who is bound, and nobody is told', async () => {
  const { world, alice, id, ask } = await talking();
  const [before, frames] = [world.hub.health(), alice.frames.length];
  await ask('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'hi' } });
  expect(world.hub.health()).toMatchObject({ bound: before.bound, connections: before.connections });
  expect(alice.frames.slice(frames).filter(({ kind }) => kind === 'goodbye')).toEqual([]);
});

describe('its credential', () => {
  const text = { event_type: 'msg.text', event_data: { text: 'hi' } };

  it('[HT2] that proves nothing, ran out or names nobody refuses it, and only the first two count as failures', async () => {
    const { id, ask, failures } = await talking();
    const post = { session_id: id, ...text };
    const over = credentialFor('alice', { expires_at_ms: 1 });
    for (const credential of [null, over, credentialFor('nobody'), credentialFor('alice', { name: null })]) {
      const code = credential?.name === null ? 'bad_frame' : 'unauthenticated';
      await expect(ask('post', post, { credential })).rejects.toMatchObject({ code });
    }
    expect(failures).toEqual(['post', 'post']);
    await expect(ask('post', post, { as: 'bob' })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[HT2, AU3] is asked again when what it asked for is decided', async () => {
    const { world, id, asked } = await talking();
    const nowMs = world.clock.now();
    await world.restart();
    world.hold = true;
    // The session has to be loaded first; meanwhile the credential runs out.
    const credential = credentialFor('alice', { expires_at_ms: nowMs + 10 });
    const posted = asked('post', { session_id: id, ...text }, { credential });
    const refused = expect(posted).rejects.toMatchObject({ code: 'unauthenticated' });
    await Promise.resolve();
    world.clock.advance(1000);
    world.hold = false;
    await world.settle();
    await refused;
  });

  it('[HT2] brings its grants, and those of another connection of the same identity are not lent', async () => {
    const { id, ask } = await talking();
    const hide = { session_id: id, participant: 'bob' };
    await expect(ask('hide_participant', hide)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ask('list_schedules', { all: true })).rejects.toMatchObject({ code: 'forbidden' });
    const strong = { credential: credentialFor('alice', { grants: ['operate'] }) };
    expect(await ask('list_schedules', { all: true }, strong)).toMatchObject({ schedules: [] });
    expect(await ask('hide_participant', hide, strong)).toMatchObject({ status: 'hidden' });
  });

  it('[HT1] registers the name it is for, which then asks', async () => {
    const { ask } = await talking();
    const credential = credentialFor('carol');
    expect(await ask('register', { name: 'carol' }, { credential })).toMatchObject({ name: 'carol' });
    expect(await ask('get_resume', {}, { credential })).toMatchObject({ version: expect.any(Number) });
    await expect(ask('register', { name: 'dave' }, { credential })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

it('[HT4] a hub that has stopped refuses, and says that nothing happened', async () => {
  const { world, asked } = await talking();
  await world.hub.stop();
  await expect(asked('list_agents', {})).rejects.toMatchObject({
    code: 'unavailable',
    details: { outcome: 'refused' },
  });
});
