import { ProtocolError, type SessionAdapter, WireError } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { HUB_EVENT_TYPES } from '../../../src/core/records/session/envelope.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { panel } from '../panel.ts';
import {
  ADAPTERS,
  aCast,
  aConversation,
  aPanel,
  foreignUnit,
  invited,
  logOf,
  opened,
  refusal,
  refused,
  releaseHold,
  say,
  standing,
  text,
  watch,
} from '../scene.ts';

/** Throws where its text says. */
const fragile: SessionAdapter<{ readonly count: number }> = {
  manifest: { ...panel.manifest, type: 'fragile' },
  initialState: () => ({ count: 0 }),
  validateCreate: () => {},
  validateSend(_metadata, { event_data }) {
    if (event_data.text === 'validateSend') throw new TypeError('broken judge');
    if (event_data.text === 'wire error') throw new WireError('unauthenticated', 'not mine to say');
    if (event_data.text === 'no error') throw 'a string';
    if (event_data.text === 'refuse') throw new ProtocolError('no', { why: 'because' });
    if (event_data.text === 'turn') throw new ProtocolError('wait', { expected: 'x' }, 'not_your_turn');
  },
  fold({ event_data, event_type }, state) {
    if (event_data.text === 'fold') throw new Error('broken fold');
    if (event_data.text === 'fold protocol') throw new ProtocolError('too late to refuse');
    return event_type === 'msg.text' ? { count: state.count + 1 } : state;
  },
  onAccepted(_metadata, { event_data }) {
    if (event_data.text === 'onAccepted') throw new Error('broken answer');
    return {};
  },
};

/** Everyone in turn, in the order of the participants; a text moves the turn. */
const relay: SessionAdapter<{ readonly at: number; readonly since: number }> = {
  manifest: { ...panel.manifest, type: 'relay' },
  initialState: () => ({ at: 0, since: 0 }),
  validateCreate: () => {},
  validateSend: () => {},
  fold({ event_type, seq }, { at, since }, { participants }) {
    if (event_type === 'session.opened') return { at: 0, since: seq };
    return event_type === 'msg.text' ? { at: (at + 1) % participants.length, since: seq } : { at, since };
  },
  onAccepted: () => ({}),
  expectedNext({ participants }, { at, since }) {
    const { agent_id } = participants[at] ?? { agent_id: '' };
    return since === 0 ? null : { agent_id, since_seq: since };
  },
};

async function group(type: string) {
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    {},
    { adapters: [...ADAPTERS, fragile, relay] },
  );
  return { world, alice, bob, carol, id: await opened(world, alice, [bob, carol], { type }) };
}

const post = (peer: Peer, ...args: Parameters<typeof text>) => peer.call('post', text(...args));

describe('an accepted post', () => {
  it('[L1, RE3] is answered with its stamps and stored as sent', async () => {
    const { world, alice, bob, id } = await aConversation();
    const more = {
      causation_id: 'c1',
      task_id: 't1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      priority: 'urgent',
      idempotency_key: 'k1',
      ttl_seconds: 60,
    } as const;
    // Stamps from a client are ignored, like every unknown field.
    const forged = { seq: 99, envelope_id: 'x', created_at: '1999', depth: 7, sender_id: bob.agentId };
    const answer = await world.answer(alice.call('post', { ...text(id, 'hi', more), ...forged }));
    const stored = logOf(world.store, id).at(-1);
    expect(answer).toEqual({
      envelope_id: stored?.envelope_id,
      seq: 5,
      created_at: '2026-01-01T00:00:00.000Z',
      turn: null,
    });
    expect(stored).toEqual({
      session_id: id,
      sender_id: alice.agentId,
      audience: null,
      event_type: 'msg.text',
      event_data: { text: 'hi' },
      ...more,
      envelope_id: answer.envelope_id,
      seq: 5,
      depth: 0,
      created_at: answer.created_at,
    });
    expect(bob.notifies(id).at(-1)?.envelope).toEqual(stored);
  });

  it('[DL11] is answered with the turn after it', async () => {
    const { world, alice, bob, id } = await group('relay');
    expect((await say(world, alice, id, 'a')).turn).toEqual({ agent_id: bob.agentId, since_seq: 7 });
    const { turn, unavailable } = await world.answer(alice.call('get_session', { session_id: id }));
    expect([turn, unavailable]).toEqual([{ agent_id: bob.agentId, since_seq: 7 }, null]);
  });

  it('[OP3, L2] is admitted and answered in the order sent, from many peers', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hub.evictIdle();
    const order: string[] = [];
    const send = (peer: Peer, words: string) => {
      void post(peer, id, words).then(({ seq }) => order.push(`${words}@${seq}`));
    };
    for (let i = 0; i < 30; i++) {
      send(alice, `a${i}`);
      send(bob, `b${i}`);
    }
    await world.settle();
    const log = logOf(world.store, id).slice(4);
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, i) => 5 + i));
    const wordsOf = (peer: Peer) =>
      log.filter(({ sender_id }) => sender_id === peer.agentId).map(({ event_data }) => event_data.text);
    for (const [name, peer] of [
      ['a', alice],
      ['b', bob],
    ] as const) {
      const inOrder = Array.from({ length: 30 }, (_, i) => `${name}${i}`);
      expect(wordsOf(peer)).toEqual(inOrder);
      expect(order.filter((line) => line.startsWith(name)).map((line) => line.split('@')[0])).toEqual(inOrder);
    }
    expect(order).toEqual(log.map(({ seq, event_data }) => `${event_data.text}@${seq}`));
    const ids = logOf(world.store, id).map(({ envelope_id }) => envelope_id);
    expect([...new Set(ids)].sort()).toEqual(ids);
  });

  it('[OP3] keeps its order in sessions that must be loaded, accepted or rejected', async () => {
    const { world, alice, bob } = await group('panel');
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    world.hub.evictIdle();
    const calls = ['question', 'again', 'and again'].map((words) => watch(post(alice, id, words)));
    const reply = watch(post(bob, id, 'reply'));
    await world.settle();
    expect([...calls, reply].map(({ state }) => state)).toEqual(['answered', 'refused', 'refused', 'answered']);
  });

  it('[RE4] never moves ids and times back, even if the clock moves back', async () => {
    const { world, alice, id } = await aConversation();
    await world.pass(5000);
    const before = await say(world, alice, id, 'now');
    world.clock.jump(-3_600_000);
    const after = await say(world, alice, id, 'an hour ago');
    expect(after.envelope_id > before.envelope_id).toBe(true);
    expect(after.created_at).toBe(before.created_at);
    await world.restart();
    const again = await say(world, await world.peer('alice'), id, 'after the restart');
    expect(again.envelope_id > after.envelope_id).toBe(true);
  });
});

describe('the order of the checks', () => {
  /** Wrong in every way. */
  const wrong = { expected_seq: 1, event_type: 'session.opened', event_data: {}, audience: ['nobody'] };

  it('[AM1] parses first', async () => {
    const { world, id } = await aConversation();
    const unbound = world.stranger();
    await refused(world, unbound.call('post', { ...text(id, 'x'), event_type: '!' }), 'bad_frame');
  });

  it('[AM1] answers with the first check that fails', async () => {
    const { world, alice, bob, carol } = await group('panel');
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    const code = async (peer: Peer, more: Parameters<typeof text>[2]) =>
      (await refusal(world, post(peer, id, 'x', more))).code;
    // bound
    expect(await code(world.stranger(), wrong)).toBe('unauthenticated');
    // known here
    const dave = await world.peer('dave');
    expect(await code(dave, { ...wrong, idempotency_key: 'k' })).toBe('not_found');
    // active session
    await refused(world, post(alice, id, 'x', wrong), 'protocol_error', {
      state: 'INVITED',
      pending_acks: [bob.agentId, carol.agentId],
    });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    // active sender
    await refused(world, post(carol, id, 'x', wrong), 'protocol_error', { status: 'invited' });
    // expected seq
    await refused(world, post(alice, id, 'x', wrong), 'conflict', { head: 5 });
    // type
    await refused(world, post(alice, id, 'x', { ...wrong, expected_seq: 5 }), 'protocol_error', {
      event_type: 'session.opened',
    });
    // audience
    const whisper = { audience: ['nobody'], idempotency_key: 'k', expected_seq: 5 };
    await refused(world, post(alice, id, 'x', whisper), 'protocol_error', 'audience');
    // nothing is wrong
    expect((await say(world, alice, id, 'x', { idempotency_key: 'k', expected_seq: 5 })).seq).toBe(6);
    // a repeated key comes before the other checks, in every state
    expect(await code(alice, { ...wrong, idempotency_key: 'k' })).toBe('duplicate');
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(await code(alice, { ...wrong, idempotency_key: 'k' })).toBe('duplicate');
    // ended comes before membership
    expect(await code(carol, wrong)).toBe('session_closed');
    expect(await code(dave, wrong)).toBe('not_found');
  });

  it('[AM1, AM2] asks the adapter last', async () => {
    const { world, alice, id } = await group('fragile');
    const refused = (more: Parameters<typeof text>[2]) => refusal(world, post(alice, id, 'refuse', more));
    expect((await refused({ expected_seq: 1 })).code).toBe('conflict');
    expect((await refused({ audience: ['nobody'] })).details).toEqual({ field: 'audience' });
    expect(await refused({})).toEqual({ code: 'protocol_error', message: 'no', details: { why: 'because' } });
  });

  it('[AM1, L7] treats a removed participant as inactive, not as a non-participant', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const removed = { event_type: 'session.participant.removed', event_data: { agent_id: bob.agentId } };
    world.store.foreignAppend(id, foreignUnit(world, id, removed));
    await say(world, alice, id, 'meet the other writer');
    await refused(world, post(bob, id, 'still here'), 'forbidden');
    await refused(world, bob.call('close_session', { session_id: id }), 'forbidden');
    expect(await standing(world, carol, id)).toBe('ACTIVE: alice active, bob removed, carol active');
  });

  it('[AM1] tells a hidden participant when its turn moved', async () => {
    const { world, alice, bob, id } = await aPanel();
    const hidden = { event_type: 'session.participant.hidden', event_data: { agent_id: bob.agentId } };
    world.store.foreignAppend(id, foreignUnit(world, id, hidden));
    await say(world, alice, id, 'meet the other writer');
    await refused(world, post(bob, id, 'me?'), 'not_your_turn', { turn_passed_at_seq: 7 });
    // It keeps reading.
    expect(bob.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'meet the other writer' });
  });

  it('[AM8] leaves the log unchanged and makes a rejection observable', async () => {
    const { world, alice, bob } = await group('panel');
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    const refused: unknown[] = [];
    world.hub.on('operationRefused', ({ error, ...event }) => refused.push({ ...event, code: error.code }));
    const before = logOf(world.store, id);
    const appends = world.store.counts.append;
    await refusal(world, post(bob, id, 'me first'));
    expect(logOf(world.store, id)).toEqual(before);
    expect(world.store.counts.append).toBe(appends);
    expect(refused).toEqual([{ op: 'post', agent_id: bob.agentId, session_id: id, code: 'not_your_turn' }]);
  });
});

describe('expected_seq', () => {
  it('[AM4] must be the head, and of two posts with the same head only one enters', async () => {
    const { world, alice, bob, id } = await aConversation();
    await refused(world, post(alice, id, 'x', { expected_seq: 3 }), 'conflict', { head: 4 });
    world.hold = true;
    const first = watch(post(alice, id, 'first', { expected_seq: 4 }));
    const second = watch(post(bob, id, 'second', { expected_seq: 4 }));
    await world.settle();
    expect([first.state, second.state]).toEqual(['open', 'open']);
    await releaseHold(world);
    expect(first).toMatchObject({ state: 'answered', value: { seq: 5 } });
    expect(second).toEqual({ state: 'refused', value: { code: 'conflict', details: { head: 5 } } });
  });
});

describe('types and sizes', () => {
  it('[AM5] rejects all hub event types, by whole families', async () => {
    const { world, alice, id } = await aPanel();
    const others = ['session.anything', 'expectation.new', 'task.started', 'task.progress'];
    for (const event_type of [...HUB_EVENT_TYPES, ...others]) {
      await refused(world, post(alice, id, '', { event_type, event_data: {} }), 'protocol_error', { event_type });
    }
    expect(logOf(world.store, id)).toHaveLength(6);
  });

  it('[RE10] accepts any other type, and checks the data of known types', async () => {
    const { world, alice, bob, id } = await aConversation();
    await say(world, alice, id, '', { event_type: 'my.own-type', event_data: { any: ['thing', null, 1.5] } });
    expect(bob.notifies(id).at(-1)?.envelope).toMatchObject({ event_data: { any: ['thing', null, 1.5] } });
    for (const event_data of [{}, { text: 1 }, { text: 'x', cost_usd: -1 }, { text: 'x', usage: { fresh: 'a' } }]) {
      await refused(world, post(alice, id, '', { event_data }), 'bad_frame');
    }
  });

  it('[RE2, RE6] rejects oversize, deep and forged data without logging', async () => {
    const { world, alice, id } = await aConversation({ maxEventBytes: 1000 });
    await refused(world, post(alice, id, 'x'.repeat(1000)), 'too_large', {
      field: 'event_data',
      expected: 'at most 1000 bytes',
      received: '1011 bytes',
    });
    expect((await say(world, alice, id, 'x'.repeat(989))).seq).toBe(5);
    let deep: unknown = 1;
    for (let i = 0; i < 64; i++) deep = [deep];
    const raw = (data: string) =>
      alice.send(
        `{"kind":"request","request_id":"raw","op":"post","params":{"session_id":"${id}","event_type":"note","event_data":${data}}}`,
      );
    const codes: string[] = [];
    world.hub.on('operationRefused', ({ error }) => codes.push(error.code));
    raw(JSON.stringify({ deep }));
    raw('{"__proto__":{"x":1}}');
    raw('{"a":"\\ud800"}');
    await world.settle();
    expect(codes).toEqual(['bad_frame', 'bad_frame', 'bad_frame']);
    expect(logOf(world.store, id)).toHaveLength(5);
  });
});

describe('audience', () => {
  it('[AM6] delivers to those named, the sender may be among them, and non-participants are dropped', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const dave = await world.peer('dave');
    const audience = [bob.agentId, alice.agentId, dave.agentId, 'nobody', bob.agentId];
    await say(world, alice, id, 'psst', { audience });
    expect(logOf(world.store, id).at(-1)?.audience).toEqual([bob.agentId, alice.agentId]);
    const texts = (peer: Peer) => peer.notifies(id).filter(({ envelope }) => envelope.event_type === 'msg.text').length;
    expect([alice, bob, carol, dave].map(texts)).toEqual([0, 1, 0, 0]);
  });

  it('[AM6] rejects a post without another recipient', async () => {
    const { world, alice, bob, carol } = await group('panel');
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await world.answer(carol.call('reject_invite', { session_id: id }));
    for (const audience of [[alice.agentId], ['nobody'], [carol.agentId, alice.agentId]]) {
      await refused(world, post(alice, id, 'x', { audience }), 'protocol_error', 'audience');
    }
    await refused(world, post(alice, id, 'x', { audience: [] }), 'bad_frame');
  });

  it('[AM6] requires that the next turn holder receives the post', async () => {
    const { world, alice, bob, carol, id } = await group('relay');
    await refused(world, post(alice, id, 'x', { audience: [carol.agentId] }), 'protocol_error', 'audience');
    expect(logOf(world.store, id)).toHaveLength(6);
    expect((await say(world, alice, id, 'x', { audience: [bob.agentId] })).turn?.agent_id).toBe(bob.agentId);
    // A post that does not move the turn may be whispered to anyone.
    const aside = { event_type: 'note', event_data: {}, audience: [alice.agentId] };
    expect((await say(world, carol, id, '', aside)).turn).toEqual({ agent_id: bob.agentId, since_seq: 7 });
  });
});

describe('an adapter that throws', () => {
  it.each(['validateSend', 'wire error', 'no error', 'fold', 'fold protocol', 'onAccepted'])(
    '[AM7, L8] from %s rejects the post as internal and harms nothing else',
    async (words) => {
      const { world, alice, id } = await group('fragile');
      const before = logOf(world.store, id);
      const first = watch(post(alice, id, 'one', { idempotency_key: 'one' }));
      const broken = watch(post(alice, id, words, { idempotency_key: 'k' }));
      const second = watch(post(alice, id, 'two'));
      await world.settle();
      expect([first.state, broken, second.state]).toEqual([
        'answered',
        { state: 'refused', value: { code: 'internal', details: undefined } },
        'answered',
      ]);
      expect(
        logOf(world.store, id)
          .slice(before.length)
          .map(({ event_data }) => event_data.text),
      ).toEqual(['one', 'two']);
      // The key of a rejected post is free.
      expect((await say(world, alice, id, 'mended', { idempotency_key: 'k' })).seq).toBe(9);
      await world.restart();
      expect(await standing(world, await world.peer('alice'), id)).toMatch(/^ACTIVE/);
    },
  );

  it('[AM7] answers its ProtocolErrors with code and details', async () => {
    const { world, alice, id } = await group('fragile');
    expect(await refusal(world, post(alice, id, 'refuse'))).toEqual({
      code: 'protocol_error',
      message: 'no',
      details: { why: 'because' },
    });
    expect(await refusal(world, post(alice, id, 'turn'))).toEqual({
      code: 'not_your_turn',
      message: 'wait',
      details: { expected: 'x' },
    });
  });
});

describe('keys', () => {
  const keyed = (world: World, peer: Peer, id: string, more = {}) =>
    say(world, peer, id, 'once', { idempotency_key: 'k', ...more });

  it('[AM3, L5] answers a repeat with the first, in every state and after restarts, and logs nothing', async () => {
    const { world, alice, bob, id } = await aConversation();
    const first = await keyed(world, alice, id);
    const repeat = { ...first, duplicate: true };
    expect(await keyed(world, alice, id)).toEqual(repeat);
    world.hub.evictIdle();
    expect(await keyed(world, alice, id)).toEqual(repeat);
    await say(world, bob, id, 'more');
    expect(await keyed(world, alice, id, { expected_seq: 1 })).toEqual(repeat);
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(await keyed(world, alice, id)).toEqual(repeat);
    await world.pass(5000);
    expect(await keyed(world, alice, id)).toEqual(repeat);
    await world.crash();
    expect(await keyed(world, await world.peer('alice'), id)).toEqual(repeat);
    expect(logOf(world.store, id).filter(({ idempotency_key }) => idempotency_key === 'k')).toHaveLength(1);
  });

  it('[AM3] rejects other content under a key, and names the first', async () => {
    const { world, alice, bob, id } = await aConversation();
    const { envelope_id, seq, created_at } = await keyed(world, alice, id);
    const others = [
      { event_data: { text: 'twice' } },
      { event_type: 'note' },
      { causation_id: 'c' },
      { task_id: 't' },
      { priority: 'urgent' },
      { ttl_seconds: 5 },
      { audience: [bob.agentId] },
    ] as const;
    for (const other of others) {
      await refused(world, keyed(world, alice, id, other), 'duplicate', { envelope_id, seq, created_at });
    }
  });

  it('[AM3] compares the audience as sent, including dropped names', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const audience = [bob.agentId, 'nobody'];
    const { seq } = await keyed(world, alice, id, { audience });
    expect(await keyed(world, alice, id, { audience })).toMatchObject({ seq, duplicate: true });
    expect(await keyed(world, alice, id, { audience: [bob.agentId] })).toMatchObject({ seq, duplicate: true });
    for (const other of [null, [carol.agentId], [bob.agentId, carol.agentId]]) {
      await refused(world, keyed(world, alice, id, { audience: other }), 'duplicate');
    }
  });

  it('[AM3] belongs to the sender and the session', async () => {
    const { world, alice, bob, id } = await aConversation();
    const other = await opened(world, alice, [bob]);
    const seqs = [
      await keyed(world, alice, id),
      await keyed(world, bob, id),
      await keyed(world, alice, other),
    ] as const;
    expect(seqs.map((answer) => [answer.seq, answer.duplicate])).toEqual([
      [5, undefined],
      [6, undefined],
      [5, undefined],
    ]);
  });

  it('[AM3, L1] holds a repeat until the staged original is durable', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const first = watch(post(alice, id, 'once', { idempotency_key: 'k' }));
    const repeat = watch(post(alice, id, 'once', { idempotency_key: 'k' }));
    const other = watch(post(alice, id, 'twice', { idempotency_key: 'k' }));
    await world.settle();
    expect([first.state, repeat.state, other.state]).toEqual(['open', 'open', 'open']);
    expect(world.store.stagedUnits()).toBe(1);
    await releaseHold(world);
    expect(first).toMatchObject({ state: 'answered', value: { seq: 5 } });
    expect(repeat).toEqual({ state: 'answered', value: { ...(first.value as object), duplicate: true } });
    expect(other).toMatchObject({ state: 'refused', value: { code: 'duplicate', details: { seq: 5 } } });
    expect(bob.seqs(id)).toEqual([4, 5]);
  });

  it('[AM3] does not remember rejections', async () => {
    const { world, alice, bob } = await group('panel');
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    await refused(world, keyed(world, bob, id), 'not_your_turn');
    await say(world, alice, id, 'question');
    const answer = await keyed(world, bob, id);
    expect([answer.seq, answer.duplicate]).toEqual([6, undefined]);
  });

  it('[AM3, L5] finds a kept post after a crash, and sends a lost one', async () => {
    for (const kept of [true, false]) {
      const { world, alice, id } = await aConversation();
      world.hold = true;
      void post(alice, id, 'once', { idempotency_key: 'k' });
      await world.settle();
      world.hold = false;
      await world.crash(() => kept);
      const answer = await keyed(world, await world.peer('alice'), id);
      expect([answer.seq, answer.duplicate]).toEqual([5, kept ? true : undefined]);
    }
  });

  it('[RE1] a key has 1 to 128 bytes', async () => {
    const { world, alice, id } = await aConversation();
    for (const idempotency_key of ['', 'x'.repeat(129), 'é'.repeat(65)]) {
      const call = post(alice, id, 'x', { idempotency_key });
      await refused(world, call, 'bad_frame', 'params.idempotency_key');
    }
    expect((await say(world, alice, id, 'x', { idempotency_key: 'é'.repeat(64) })).seq).toBe(5);
  });
});

describe('can_send', () => {
  it('[AM1, DL11] reports what a post would be answered, and the turn', async () => {
    const { world, alice, bob } = await group('panel');
    const id = await invited(world, alice, [bob], { type: 'consulting' });
    const can = async (peer: Peer, event_type?: string) =>
      world.answer(peer.call('can_send', { session_id: id, ...(event_type === undefined ? {} : { event_type }) }));
    expect(await can(alice)).toMatchObject({ can: false, code: 'protocol_error', turn: null });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    const turn = { agent_id: alice.agentId, since_seq: 4 };
    expect(await can(alice)).toEqual({ can: true, code: null, why: null, turn });
    expect(await can(bob)).toEqual({
      can: false,
      code: 'not_your_turn',
      why: "consulting expects 'alice' (initiator) to ask first, got 'bob'",
      turn,
    });
    expect(await can(bob, 'note')).toMatchObject({ can: true });
    expect(await can(alice, 'msg.packet')).toMatchObject({ can: false, code: 'protocol_error' });
    expect(await can(alice, 'session.closed')).toMatchObject({ can: false, code: 'protocol_error' });
    expect(logOf(world.store, id)).toHaveLength(4);
  });

  it('[DL11] pending_turns lists the sessions in which the caller has the turn', async () => {
    const { world, alice, bob } = await group('panel');
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    const turns = async (peer: Peer) => (await world.answer(peer.call('pending_turns', {}))).turns;
    expect(await turns(alice)).toEqual([{ session_id: id, type: 'consulting', since_seq: 4 }]);
    await say(world, alice, id, 'question');
    expect([await turns(alice), await turns(bob)]).toEqual([
      [],
      [{ session_id: id, type: 'consulting', since_seq: 5 }],
    ]);
    await world.restart();
    expect(await turns(await world.peer('bob'))).toEqual([{ session_id: id, type: 'consulting', since_seq: 5 }]);
    const again = await world.peer('bob');
    await say(world, again, id, 'reply');
    expect(await turns(again)).toEqual([]);
  });
});
