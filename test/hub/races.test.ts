import { describe, expect, it } from 'vitest';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../src/testing/doubles/peer.ts';
import {
  aCast,
  aConversation,
  ack,
  aPanel,
  aWorld,
  DAY,
  foreignUnit,
  gapsOf,
  HOUR,
  invited,
  leap,
  leave,
  logOf,
  opened,
  openGate,
  rebind,
  refusal,
  refused,
  releaseHold,
  SECOND,
  say,
  sessionOf,
  standing,
  text,
  types,
  watch,
} from './scene.ts';
import { SlowLists, SlowReads } from './slow-stores.ts';

/** Records which logs were created: a session's id is known before its answer. */
class Beginnings extends FaultyStore {
  readonly begun: string[] = [];

  override append(...args: Parameters<FaultyStore['append']>): ReturnType<FaultyStore['append']> {
    if (args[1] === null) this.begun.push(args[0]);
    return super.append(...args);
  }
}

/** An append is durable when it returns. */
class Instant extends FaultyStore {
  override append(...args: Parameters<FaultyStore['append']>): ReturnType<FaultyStore['append']> {
    const append = super.append(...args);
    this.sync();
    return append;
  }
}

const kinds = (peer: Peer) => peer.frames.map(({ kind }) => kind);
const removalOf = ({ agentId }: Peer) => ({
  event_type: 'session.participant.removed',
  event_data: { agent_id: agentId, reason: 'x' },
});

describe('a durable unit', () => {
  it('[EV1, L2] reaches listeners and other participants before its sender is answered', async () => {
    const { world, alice, bob, id } = await aConversation();
    const tapped: number[] = [];
    world.hub.on('envelopePosted', ({ envelope }) => tapped.push(envelope.seq));
    const atAnswer = (words: string) =>
      alice.call('post', text(id, words)).then(({ seq }) => ({ seq, tapped: [...tapped], heard: bob.seqs(id).at(-1) }));
    const [five, six] = [atAnswer('five'), atAnswer('six')];
    world.hold = true;
    await world.settle();
    world.store.sync(1);
    await world.settle();
    world.hold = false;
    expect(await world.answer(five)).toEqual({ seq: 5, tapped: [5], heard: 5 });
    expect(await world.answer(six)).toEqual({ seq: 6, tapped: [5, 6], heard: 6 });
  });

  it('[EV1, LC6, LC8] of a close reaches everyone before the caller is answered', async () => {
    const { world, alice, bob, id } = await aConversation();
    const closing: string[] = [];
    world.hub.on('sessionClosing', ({ session }) => closing.push(session.session_id));
    const atAnswer = alice.call('close_session', { session_id: id }).then(() => [...closing, bob.seqs(id).includes(5)]);
    expect(await world.answer(atAnswer)).toEqual([id, true]);
  });
});

describe('another writer', () => {
  it('[AM9, L8] rejects what was staged if the session cannot be read, and the next use loads it again', async () => {
    const store = new SlowReads();
    const { world, alice, bob, id } = await aConversation({}, { store });
    world.hold = true;
    const staged = [alice.call('post', text(id, 'mine')), bob.call('post', text(id, 'too'))].map(watch);
    await world.settle();
    store.foreignAppend(id, foreignUnit(world, id, { sender_id: alice.agentId })); // 5
    store.failures = 1;
    await releaseHold(world);
    const refused = { state: 'refused', value: { code: 'unavailable', details: { outcome: 'refused' } } };
    expect(staged).toEqual([refused, refused]);
    expect(world.hub.health().ready).toBe(true);
    expect(await say(world, bob, id, 'six')).toMatchObject({ seq: 6 });
    expect(await say(world, alice, id, 'seven')).toMatchObject({ seq: 7 });
    expect(logOf(store, id).map(({ event_data }) => event_data.text)).toEqual([
      ...Array.from({ length: 4 }),
      'foreign',
      'six',
      'seven',
    ]);
    expect([alice.seqs(id).slice(-1), bob.seqs(id).slice(-2)]).toEqual([[6], [5, 7]]);
  });

  it('[AM12, AM9] lets a repeat create the session itself if the first create is rejected', async () => {
    const store = new Beginnings();
    const { world, alice, id: model } = await aConversation({}, { store });
    const params = { type: 'conversation', participants: ['bob'], wait: 'created', idempotency_key: 'k' } as const;
    world.hold = true;
    const calls = [alice.call('create_session', params), alice.call('create_session', params)];
    const [first, repeat] = calls.map(watch);
    await world.settle();
    const taken = store.begun.at(-1) ?? '';
    store.foreignAppend(taken, foreignUnit(world, taken, { ...logOf(store, model)[0], session_id: taken }));
    await releaseHold(world);
    expect(first).toMatchObject({ state: 'refused', value: { code: 'conflict' } });
    expect(repeat).toMatchObject({ state: 'answered', value: { session: { state: 'INVITED', head_seq: 2 } } });
    expect(repeat?.value).not.toHaveProperty('duplicate');
    const id = store.begun.at(-1) ?? '';
    expect(id).not.toBe(taken);
    expect(types(logOf(store, id))).toEqual(['session.created', 'session.invite']);
    // From then on the key means the session of the repeat.
    const again = await world.answer(alice.call('create_session', params));
    expect(again).toMatchObject({ duplicate: true, session: { session_id: id } });
  });
});

describe('a rebind', () => {
  it('[DL9] reports no gap for an old end that was acked, before or after a restart', async () => {
    const { world, alice, bob, id } = await aConversation();
    await say(world, alice, id, 'five');
    await say(world, bob, id, 'six');
    await world.answer(alice.call('close_session', { session_id: id }));
    await world.pass(SECOND);
    expect((await sessionOf(world, alice, id)).state).toBe('CLOSED');
    await leap(world, 8 * DAY);
    for (const name of ['alice', 'bob']) expect(kinds(await rebind(world, name))).toEqual(['welcome']);
    await world.restart();
    for (const name of ['alice', 'bob']) expect(kinds(await rebind(world, name))).toEqual(['welcome']);
  });

  it('[DL9, L5] reports a gap for an old missed end, however many own envelopes precede it', async () => {
    const { world, alice, bob, id } = await aConversation();
    const posts = Array.from({ length: 240 }, (_, i) => `mine ${i}`);
    for (const words of posts) await say(world, bob, id, words); // up to 244
    await world.pass(SECOND);
    await leave(world, bob);
    await world.answer(alice.call('close_session', { session_id: id })); // 245 and 246
    await leap(world, 8 * DAY);
    await world.restart();
    expect(gapsOf(await rebind(world, 'bob'))).toMatchObject([{ session_id: id, to_seq: 246, reason: 'retention' }]);
  });

  it('[DL9, L5] delivers an end that happens while ended sessions are listed, of every kind', async () => {
    const store = new SlowLists();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const [closes, expires, declined] = [
      await opened(world, alice, [bob]),
      await opened(world, alice, [bob], { ttl: '1m' }),
      await invited(world, alice, [bob], { invite_timeout: '1m' }),
    ];
    await leave(world, bob);
    store.gate.close();
    const back = world.stranger();
    back.acks = true;
    back.hello('bob');
    await world.settle();
    await world.answer(alice.call('close_session', { session_id: closes }));
    await world.pass(61 * SECOND);
    expect(kinds(back)).toEqual(['welcome']);
    await openGate(world, store);
    const ends = [closes, expires, declined].map((id) => back.notifies(id).map(({ envelope }) => envelope.event_type));
    expect(ends).toEqual([['session.closing', 'session.closed'], ['session.expired'], ['session.closed']]);
    await world.pass(SECOND);
    expect(kinds(await rebind(world, 'bob'))).toEqual(['welcome']);
  });

  it('[DL5, DL2] with a resume point beyond out-of-order acks acks everything up to it', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    for (const words of ['five', 'six', 'seven', 'eight', 'nine']) await say(world, alice, id, words);
    bob.receipt(id, 6);
    bob.receipt(id, 8);
    await leave(world, bob);
    const again = await rebind(world, 'bob', { [id]: { seq: 7, epoch: 1 } });
    expect(again.seqs(id)).toEqual([9]);
    await world.pass(SECOND);
    // The stored cursor says the same.
    expect(await world.store.loadCursors(bob.agentId)).toMatchObject([{ session_id: id, seq: 8, beyond: [] }]);
    await world.restart();
    const after = await rebind(world, 'bob');
    expect(after.seqs(id)).toEqual([9]);
    await say(world, await world.peer('alice'), id, 'ten');
    expect(after.seqs(id)).toEqual([9, 10]);
  });

  it('[DL5, DL2] with a resume point beyond the last out-of-order ack leaves no remainder', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    bob.receipt(id, 6);
    await leave(world, bob);
    expect((await rebind(world, 'bob', { [id]: { seq: 7, epoch: 1 } })).seqs(id)).toEqual([]);
    await world.pass(SECOND);
    expect(await world.store.loadCursors(bob.agentId)).toMatchObject([{ session_id: id, seq: 7, beyond: [] }]);
    await world.restart();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([]);
  });

  it.each([
    ['[DL6, DL8] sends an invite looked up during a takeover', 'session.invite'],
    ['[DL6, DL8, DL9] sends the end of a session never joined, looked up during a takeover,', 'session.closed'],
  ])('%s to the newer binding only', async (_what, event_type) => {
    const store = new SlowReads();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const id = await invited(world, alice, [bob]);
    await leave(world, bob);
    if (event_type === 'session.closed') await world.answer(alice.call('close_session', { session_id: id }));
    store.gate.close();
    const [first, second] = [await rebind(world, 'bob'), await rebind(world, 'bob')];
    await openGate(world, store);
    expect([kinds(first), kinds(second)]).toEqual([
      ['welcome', 'goodbye'],
      ['welcome', 'notify'],
    ]);
    expect(second.notifies(id)).toMatchObject([{ prev_seq: null, envelope: { event_type } }]);
  });

  it('[DL10, L5] repeats a gap until something after it is acked on the same binding', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'for now', { ttl_seconds: 1 }); // 5
    await say(world, alice, id, 'for good'); // 6
    bob.receipt(id, 6);
    await leave(world, bob);
    await world.pass(2 * SECOND);
    const gap = { session_id: id, from_seq: 5, to_seq: 5, reason: 'expired' };
    // Six was acked on another binding, which says nothing about this gap.
    for (const _bind of ['first', 'second']) {
      const back = await rebind(world, 'bob');
      expect([gapsOf(back), back.seqs(id)]).toMatchObject([[gap], []]);
      await leave(world, back);
    }
    await world.pass(SECOND);
    await world.restart();
    const back = await rebind(world, 'bob');
    expect([gapsOf(back), back.seqs(id)]).toMatchObject([[gap], []]);
    await say(world, await world.peer('alice'), id, 'seven');
    await ack(world, back, id, 7);
    expect(kinds(await rebind(world, 'bob'))).toEqual(['welcome']);
  });
});

describe('draining', () => {
  it('[LC7, DL12] does not wait for a removed member, bound and silent', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    carol.acks = false;
    await say(world, alice, id, 'seven');
    world.store.foreignAppend(id, foreignUnit(world, id, removalOf(carol))); // 8
    await say(world, bob, id, 'nine');
    const close = await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    expect(close).toEqual({ state: 'CLOSED', close_reason: 'explicit_close' });
    expect(carol.seqs(id)).toEqual([6, 7, 8]);
  });
});

describe('a hello again on the same connection', () => {
  it('[DL5, DL6, OP3] keeps requests that wait for a session to load', async () => {
    const { world, alice, bob, id } = await aConversation();
    const pending = await invited(world, alice, [bob]);
    world.hub.evictIdle();
    const post = bob.call('post', text(id, 'five'));
    const ack = bob.call('ack_invite', { session_id: pending });
    bob.hello('bob');
    expect(await world.answer(post)).toMatchObject({ seq: 5 });
    expect(await world.answer(ack)).toMatchObject({ state: 'ACTIVE' });
    expect(bob.frames.filter(({ kind }) => kind === 'welcome')).toHaveLength(2);
  });
});

describe('a connection with two identities', () => {
  it('[OP6, L7] requires `as` even after one has unregistered and the other has said hello again', async () => {
    const world = await aWorld();
    const both = await world.peer('alice');
    await world.answer(both.call('register', { name: 'bob' }));
    await world.answer(both.call('unregister', {}, { as: 'bob' }));
    const nameless = { code: 'bad_frame', details: { field: 'frame.as' } };
    expect(await refusal(world, both.call('list_agents', {}))).toMatchObject(nameless);
    both.hello('alice');
    await world.settle();
    expect(await refusal(world, both.call('unregister', {}))).toMatchObject(nameless);
    const { agents } = await world.answer(both.call('list_agents', {}, { as: 'alice' }));
    expect(agents.map(({ name }) => name)).toEqual(['alice']);
  });
});

describe('an identity while it retires', () => {
  const params = { type: 'panel', participants: ['bob', 'carol'], required_acks: 1, wait: 'created' } as const;

  it('[LC12] is removed from a session staged before', async () => {
    const { world, alice, bob, carol } = await aPanel();
    world.hold = true;
    const create = alice.call('create_session', params);
    await world.settle();
    const leaving = bob.call('unregister', {});
    await world.settle();
    world.store.sync(1);
    const { session } = await world.answer(create);
    world.hold = false;
    await world.answer(leaving);
    await world.answer(carol.call('ack_invite', { session_id: session.session_id }));
    expect(await standing(world, alice, session.session_id)).toMatch(/: alice active, bob rejected, carol active$/);
  });

  it('[LC12] cannot be named in a new session, by name or id', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    world.hold = true;
    const leaving = bob.call('unregister', {});
    await world.settle();
    for (const who of ['bob', bob.agentId]) {
      const call = alice.call('create_session', { ...params, participants: ['carol', who] });
      await refused(world, call, 'invalid_create', { received: who });
    }
    world.hold = false;
    await world.answer(leaving);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob removed, carol active');
    const { sessions } = await world.answer(carol.call('list_sessions', {}));
    expect(sessions.map(({ session_id }) => session_id)).toEqual([id]);
  });
});

describe('a close that waits for the end', () => {
  it('[LC6, LC9, L6] answers EXPIRED if the session has expired just before', async () => {
    const { world, alice, bob, id } = await aConversation({}, {}, { expectations: [] });
    world.hold = true;
    await leap(world, 2 * HOUR);
    const calls = [alice, bob].map((peer) => watch(peer.call('close_session', { session_id: id, wait: 'closed' })));
    await world.settle();
    expect(calls.map(({ state }) => state)).toEqual(['open', 'open']);
    await releaseHold(world);
    const expired = { state: 'answered', value: { state: 'EXPIRED', close_reason: 'ttl_expired' } };
    expect(calls).toEqual([expired, expired]);
    expect(types(logOf(world.store, id)).slice(4)).toEqual(['session.expired']);
  });
});

describe('a close on an instant disk', () => {
  it('[LC6, LC7] is answered although the end came before the wait', async () => {
    const { world, alice, bob, id } = await aConversation({}, { store: new Instant() });
    await leave(world, bob);
    const close = watch(alice.call('close_session', { session_id: id, wait: 'closed' }));
    await world.settle();
    expect(close).toEqual({ state: 'answered', value: { state: 'CLOSED', close_reason: 'explicit_close' } });
  });
});

describe('read_log', () => {
  it('[DL13] returns an oversize envelope alone, with the start of the next page', async () => {
    const { world, alice, bob, id } = await aConversation({ maxResponseBytes: 1000 });
    await say(world, alice, id, 'x'.repeat(2000)); // 5
    await say(world, alice, id, 'y'.repeat(2000)); // 6
    await say(world, alice, id, 'short'); // 7
    const page = async (from_seq: number, reverse = false) => {
      const params = { session_id: id, from_seq, reverse };
      const { envelopes, next } = await world.answer(bob.call('read_log', params));
      return [envelopes.map(({ seq }) => seq), next];
    };
    expect([await page(5), await page(6), await page(7)]).toEqual([
      [[5], 6],
      [[6], 7],
      [[7], null],
    ]);
    expect([await page(7, true), await page(6, true), await page(5, true)]).toEqual([
      [[7], 6],
      [[6], 5],
      [[5], 4],
    ]);
  });
});

describe('a key for create_session', () => {
  it.each([
    ['lives', false],
    ['has ended', true],
  ])(
    '[AM12, L5] means the same session for 24 hours, to the millisecond, if that %s and the hub was restarted',
    async (_how, ends) => {
      const { world, alice, bob } = await aCast(['alice', 'bob']);
      const more = { idempotency_key: 'k', ttl: 0, invite_timeout: '2d' };
      const id = await opened(world, alice, [bob], more);
      if (ends) await world.answer(alice.call('close_session', { session_id: id }));
      await leap(world, DAY - 1);
      await world.restart();
      const again = await world.peer('alice');
      expect(await invited(world, again, [bob], more)).toBe(id);
      world.clock.advance(1);
      await world.restart();
      expect(await invited(world, await world.peer('alice'), [bob], more)).not.toBe(id);
    },
  );

  it('[AM12] means another session after 24 hours, even if the sweep came first', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const more = { idempotency_key: 'k', ttl: 0, invite_timeout: '2d' };
    const id = await invited(world, alice, [bob], more);
    await leap(world, DAY - 1);
    expect(await invited(world, alice, [bob], more)).toBe(id);
    await leap(world, 1);
    expect(await invited(world, alice, [bob], more)).not.toBe(id);
  });
});
