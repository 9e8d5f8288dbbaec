import { describe, expect, it } from 'vitest';
import { listen } from '../all-outputs.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  DAY,
  invited,
  leap,
  leave,
  logOf,
  opened,
  recordEvents,
  refusal,
  SECOND,
  say,
  text,
} from '../scene.ts';

const names = (heard: readonly string[]) => heard.map((line) => line.split(' ')[0]);

describe('hub events', () => {
  it('[EV1] report everything once, in order', async () => {
    const world = await aWorld();
    const heard = listen(world);
    const alice = await world.peer('alice');
    const bob = await world.peer('bob');
    const id = await opened(world, alice, [bob]);
    await say(world, alice, id, 'hello');
    bob.receipt(id, 5, 'seen');
    await world.answer(bob.call('close_session', { session_id: id }));
    await world.answer(bob.call('unregister', {}));
    await leave(world, alice);
    expect(names(heard)).toEqual([
      ...['agentRegistered', 'agentBound', 'agentRegistered', 'agentBound'],
      ...['envelopePosted', 'sessionCreated', 'envelopePosted'],
      ...['envelopePosted', 'envelopePosted', 'sessionOpened'],
      ...['deliveryAcked', 'deliveryAcked', 'deliveryAcked'],
      ...['envelopePosted', 'deliveryAcked', 'deliverySeen'],
      ...['envelopePosted', 'sessionClosing', 'deliveryAcked', 'deliveryAcked'],
      ...['envelopePosted', 'sessionEnded', 'deliveryAcked', 'deliveryAcked'],
      ...['agentUnregistered', 'agentUnbound', 'agentUnbound'],
    ]);
  });

  it('[EV1, L2] carry every envelope of a session in seq order, with its turn', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const posted = recordEvents(world, 'envelopePosted');
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    await say(world, alice, id, 'question');
    await say(world, bob, id, 'reply');
    expect(posted).toEqual(world.store.durableEntries(id).map(({ envelope, turn }) => ({ envelope, turn })));
  });

  it('[EV1] carry the session of that moment', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const seen: unknown[] = [];
    for (const name of ['sessionCreated', 'sessionOpened', 'sessionClosing', 'sessionEnded'] as const) {
      world.hub.on(name, ({ session }) => seen.push([name, session.state, session.close_reason, session.head_seq]));
    }
    const id = await opened(world, alice, [bob]);
    await world.answer(bob.call('close_session', { session_id: id, reason: 'done' }));
    expect(seen).toEqual([
      ['sessionCreated', 'INVITED', null, 2],
      ['sessionOpened', 'ACTIVE', null, 4],
      ['sessionClosing', 'CLOSING', 'done', 5],
      ['sessionEnded', 'CLOSED', 'done', 6],
    ]);
  });

  it('[EV2, L8] log listeners that throw or reject, without affecting others', async () => {
    const logged: string[] = [];
    const log = {
      info() {},
      warn() {},
      error: (message: string, details?: object) => void logged.push(`${message} ${JSON.stringify(details)}`),
    };
    const world = await aWorld({}, { log });
    const others: string[] = [];
    const broken = ['envelopePosted', 'sessionCreated', 'agentBound', 'operationRefused', 'deliveryAcked'] as const;
    for (const name of broken) {
      world.hub.on(name, () => {
        throw new Error('sync');
      });
      // A listener may be async by mistake.
      world.hub.on(name, (async () => {
        throw new Error('async');
      }) as () => void);
      world.hub.on(name, () => others.push(name));
    }
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const id = await opened(world, alice, [bob]);
    expect((await say(world, alice, id, 'hello')).seq).toBe(5);
    expect(bob.seqs(id)).toEqual([4, 5]);
    await refusal(world, alice.call('post', text('f'.repeat(32), 'x')));
    for (const name of broken) {
      const count = others.filter((other) => other === name).length;
      expect(count).toBeGreaterThan(0);
      expect(logged.filter((line) => line === `a listener of ${name} threw {"error":"sync"}`)).toHaveLength(count);
      expect(logged.filter((line) => line === `a listener of ${name} threw {"error":"async"}`)).toHaveLength(count);
    }
  });

  it('[EV2] allow a listener to be removed, even by itself', async () => {
    const { world, alice, id } = await aConversation();
    const heard: string[] = [];
    const off = world.hub.on('envelopePosted', () => {
      heard.push('once');
      off();
    });
    world.hub.on('envelopePosted', () => heard.push('always'));
    await say(world, alice, id, 'a');
    await say(world, alice, id, 'b');
    expect(heard).toEqual(['once', 'always', 'always']);
  });
});

describe('the audit', () => {
  it('[EV3] records registrations, bindings, lifecycle and rejections, in order and numbered', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    await refusal(world, bob.call('post', text(id, 'me first')));
    await world.answer(alice.call('close_session', { session_id: id, reason: 'done' }));
    await world.answer(bob.call('unregister', {}));
    const records = await world.hub.audit();
    expect(records.map(({ number }) => number)).toEqual(records.map((_, i) => i + 1));
    expect(records.map(({ number: _, at: __, ...record }) => record)).toEqual([
      { kind: 'agent_registered', actor: alice.agentId, session_id: null, detail: { name: 'alice' } },
      { kind: 'agent_bound', actor: alice.agentId, session_id: null, detail: { name: 'alice', binding: 1 } },
      { kind: 'agent_registered', actor: bob.agentId, session_id: null, detail: { name: 'bob' } },
      { kind: 'agent_bound', actor: bob.agentId, session_id: null, detail: { name: 'bob', binding: 2 } },
      { kind: 'session_created', actor: alice.agentId, session_id: id, detail: { type: 'consulting' } },
      { kind: 'session_opened', actor: null, session_id: id, detail: {} },
      {
        kind: 'operation_refused',
        actor: bob.agentId,
        session_id: id,
        detail: {
          op: 'post',
          code: 'not_your_turn',
          message: "consulting expects 'alice' (initiator) to ask first, got 'bob'",
        },
      },
      { kind: 'session_closing', actor: null, session_id: id, detail: { reason: 'done' } },
      { kind: 'session_ended', actor: null, session_id: id, detail: { state: 'CLOSED', reason: 'done' } },
      { kind: 'agent_unregistered', actor: bob.agentId, session_id: null, detail: { name: 'bob' } },
      {
        kind: 'agent_unbound',
        actor: bob.agentId,
        session_id: null,
        detail: { name: 'bob', binding: 2, reason: 'unregistered' },
      },
    ]);
    expect(records.every(({ at }) => at === '2026-01-01T00:00:00.000Z')).toBe(true);
    expect(await world.hub.audit({ after: 9, limit: 1 })).toEqual([records[9]]);
  });

  it('[EV3, DL3] records a delivery that was given up', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'hello');
    for (const seconds of [1, 2, 4, 8, 16, 1]) {
      bob.receipt(id, 5, 'nack', 'no room');
      await world.settle();
      await world.pass(seconds * SECOND);
    }
    expect((await world.hub.audit()).at(-1)).toMatchObject({
      kind: 'delivery_failed',
      actor: bob.agentId,
      session_id: id,
      detail: { seq: 5, reason: 'no room' },
    });
  });

  it('[EV3, L9] records the expiry of a session, once', async () => {
    const { world, id } = await aConversation();
    await leap(world, DAY);
    await world.pass(5 * SECOND);
    const ends = (await world.hub.audit()).filter(({ kind }) => kind === 'session_ended');
    expect(ends).toMatchObject([{ session_id: id, detail: { state: 'EXPIRED', reason: 'ttl_expired' } }]);
  });
});

describe('health', () => {
  it('[EV4] counts sessions, bindings and connections', async () => {
    const { world, alice, bob } = await aPanel();
    const pending = await invited(world, alice, [bob]);
    world.stranger();
    await world.settle();
    expect(await world.answer(alice.call('health', {}))).toEqual({
      ready: true,
      reason: null,
      hub_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      time: '2026-01-01T00:00:00.000Z',
      sessions: { live: 2, loaded: 2, unavailable: 0 },
      bound: 3,
      connections: 4,
      staged_units: 0,
      staged_bytes: 0,
    });
    await world.answer(alice.call('close_session', { session_id: pending }));
    world.hub.evictIdle();
    expect(world.hub.health()).toMatchObject({ sessions: { live: 1, loaded: 0 } });
  });

  it('[EV4] keeps the hub id across restarts, and reports a stopped hub as not ready', async () => {
    const { world, id } = await aConversation();
    const { hub_id } = world.hub.health();
    const before = logOf(world.store, id);
    await world.restart();
    expect(world.hub.health()).toMatchObject({ hub_id, ready: true, sessions: { live: 1, loaded: 0 }, bound: 0 });
    await world.hub.stop();
    expect(world.hub.health()).toMatchObject({ hub_id, ready: false, reason: 'the hub is stopped' });
    world.hub.sweep();
    expect(logOf(world.store, id)).toEqual(before);
  });
});
