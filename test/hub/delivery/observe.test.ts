// Observers of a log: the grant, the envelopes, the end of an observation, and its invisibility to others.

import { fullTranscript } from 'parley-hub/views/full-transcript';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aConversation,
  aPanel,
  HOUR,
  invited,
  leap,
  leave,
  logOf,
  opened,
  recordEvents,
  refusal,
  refused,
  releaseHold,
  say,
  sessionOf,
} from '../scene.ts';
import { slowLink } from '../slow-link.ts';

async function observer(world: World, name = 'olga'): Promise<Peer> {
  const peer = await world.peer(name);
  await world.answer(world.hub.grant(name, ['observe']));
  return peer;
}

function seqsTo(last: number, first = 1): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

describe('subscribe', () => {
  it('[OB5, DL6] is rejected if another connection replaced the binding meanwhile', async () => {
    const { world, id } = await aPanel();
    const olga = await observer(world);
    world.hub.evictIdle();
    await world.settle();
    const asked = olga.ask('subscribe', { session_id: id });
    world.stranger().hello('olga');
    await world.settle();
    expect(await asked).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
  });

  it('[OB1, AM2] requires the grant: not_found for a non-participant, forbidden for a participant', async () => {
    const { world, alice, id } = await aPanel();
    const dan = await world.peer('dan');
    await refused(world, world.stranger().call('subscribe', { session_id: id }), 'unauthenticated');
    expect(await refusal(world, dan.call('subscribe', { session_id: id }))).toMatchObject({
      code: 'not_found',
      message: `no session ${id}`,
    });
    for (const op of ['subscribe', 'unsubscribe'] as const) {
      await refused(world, alice.call(op, { session_id: id }), 'forbidden');
    }
    await world.answer(world.hub.grant('dan', ['operate', 'rules', 'enrol', 'approve']));
    await refused(world, dan.call('subscribe', { session_id: id }), 'not_found');
    await say(world, alice, id, 'hello');
    expect(dan.notifies()).toEqual([]);
  });

  it('[OB2] shows every envelope in order, live, including whispers and the opening', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const olga = await observer(world);
    const answer = await world.answer(olga.call('subscribe', { session_id: id, after_seq: 0 }));
    const head = logOf(world.store, id).length;
    expect(answer).toEqual({ session_id: id, epoch: 1, after_seq: 0, head_seq: head, state: 'ACTIVE' });
    await say(world, alice, id, 'for all');
    await world.answer(olga.call('set_rule', { rule: { access: { inbound_from: [] } } }));
    await say(world, bob, id, 'for you', { audience: [carol.agentId] });
    const log = logOf(world.store, id);
    expect(olga.notifies(id).map(({ envelope }) => envelope)).toEqual(log);
    expect(olga.notifies(id).map(({ prev_seq }) => prev_seq)).toEqual(seqsTo(log.length - 1, 0));
    expect(olga.notifies(id)[0]).toMatchObject({ recipient_id: olga.agentId, observed: true, epoch: 1 });
  });

  it('[OB2] begins after the given seq, at most at the head', async () => {
    const { world, alice, id } = await aPanel();
    const [olga, otto, oona] = [await observer(world), await observer(world, 'otto'), await observer(world, 'oona')];
    const { head_seq } = await sessionOf(world, alice, id);
    await world.answer(olga.call('subscribe', { session_id: id }));
    await world.answer(otto.call('subscribe', { session_id: id, after_seq: 3 }));
    expect(await world.answer(oona.call('subscribe', { session_id: id, after_seq: 10_000 }))).toMatchObject({
      after_seq: head_seq,
    });
    expect([olga.observed(id), oona.observed(id)]).toEqual([[], []]);
    await say(world, alice, id, 'next');
    expect([olga.observed(id), oona.observed(id)]).toEqual([[head_seq + 1], [head_seq + 1]]);
    expect(otto.observed(id)).toEqual(seqsTo(head_seq + 1, 4));
  });

  it('[OB2, L1] is answered before the first envelope, and shows only durable ones', async () => {
    const { world, alice, id } = await aPanel();
    const olga = await observer(world);
    const heard: string[] = [];
    olga.link.onMessage((text) => heard.push(JSON.parse(text).kind));
    void olga.ask('subscribe', { session_id: id, after_seq: 0 });
    await world.settle();
    expect(heard.slice(0, 2)).toEqual(['response', 'notify']);
    const before = heard.length;
    world.hold = true;
    void alice.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'wait' } });
    await world.settle();
    expect(heard.length).toBe(before);
    await releaseHold(world);
    expect(heard.length).toBe(before + 1);
  });

  it('[OB2] reads evicted entries, also of an ended session, and ends with it', async () => {
    const { world, alice, bob, id } = await aConversation({ tailLength: 2 });
    for (let i = 0; i < 300; i++) await say(world, i % 2 === 0 ? alice : bob, id, `m${i}`);
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    world.hub.evictIdle();
    const olga = await observer(world);
    expect(await world.answer(olga.call('subscribe', { session_id: id, after_seq: 0 }))).toMatchObject({
      state: 'CLOSED',
    });
    await world.settle();
    expect(olga.notifies(id).map(({ envelope }) => envelope)).toEqual(logOf(world.store, id));
    // It has ended, so it no longer counts against the limit.
    expect(olga.frames.at(-1)).toMatchObject({ kind: 'notify', envelope: { event_type: 'session.closed' } });
  });

  it('[OB2, L2] sends new entries after the past it is reading', async () => {
    const { world, alice, bob, id } = await aConversation({ tailLength: 1 });
    for (let i = 0; i < 6; i++) await say(world, i % 2 === 0 ? alice : bob, id, `m${i}`);
    const olga = await observer(world);
    const read = world.store.read.bind(world.store);
    const waiting: (() => void)[] = [];
    world.store.read = async (...args) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return read(...args);
    };
    await world.answer(olga.call('subscribe', { session_id: id, after_seq: 0 }));
    for (let i = 0; i < 3; i++) await say(world, alice, id, `late ${i}`);
    expect(olga.observed(id)).toEqual([]);
    while (waiting.length > 0) {
      for (const go of waiting.splice(0)) go();
      await world.settle();
    }
    expect(olga.observed(id)).toEqual(seqsTo(logOf(world.store, id).length));
  });

  it('[OB2, L8] waits for a failing store and then misses nothing', async () => {
    const { world, alice, bob, id } = await aConversation({ tailLength: 1 });
    for (let i = 0; i < 6; i++) await say(world, i % 2 === 0 ? alice : bob, id, `m${i}`);
    const olga = await observer(world);
    const read = world.store.read.bind(world.store);
    let failures = 0;
    world.store.read = async (...args) => {
      failures += 1;
      if (failures <= 2) throw new Error('busy');
      return read(...args);
    };
    await world.answer(olga.call('subscribe', { session_id: id, after_seq: 0 }));
    expect([failures, olga.observed(id)]).toEqual([1, []]);
    await world.pass(3000);
    expect(olga.observed(id)).toEqual(seqsTo(logOf(world.store, id).length));
  });

  it('[OB3] makes nobody a participant: no acks, cursor, inbox or log entries', async () => {
    const { world, alice, bob, id } = await aConversation({ maxPending: 2 });
    const olga = await observer(world);
    await world.answer(olga.call('subscribe', { session_id: id, after_seq: 0 }));
    for (let i = 0; i < 6; i++) await say(world, i % 2 === 0 ? alice : bob, id, `m${i}`);
    const before = logOf(world.store, id);
    expect(before.map(({ event_type }) => event_type).filter((type) => type === 'msg.text')).toHaveLength(6);
    expect(JSON.stringify(before)).not.toContain(olga.agentId);
    expect((await sessionOf(world, alice, id)).participants.map(({ name }) => name)).toEqual(['alice', 'bob']);
    await world.answer(alice.call('close_session', { session_id: id }));
    // Drained although the observer acked nothing.
    expect((await sessionOf(world, alice, id)).state).toBe('CLOSED');
    expect(olga.observed(id)).toEqual(seqsTo(logOf(world.store, id).length));
    expect(await world.answer(olga.call('list_sessions', {}))).toEqual({ sessions: [], next: null });
  });

  it('[OB4] by a participant delivers every envelope beside its stream, marked', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await world.answer(world.hub.grant('bob', ['observe']));
    const bad = recordEvents(world, 'badFrame', ({ error }) => error.message);
    await world.answer(bob.call('subscribe', { session_id: id }));
    const first = await say(world, alice, id, 'for all');
    const own = await say(world, bob, id, 'mine');
    const other = await say(world, alice, id, 'psst', { audience: [carol.agentId] });
    expect(bob.observed(id)).toEqual([first.seq, own.seq, other.seq]);
    expect(bob.seqs(id).slice(-1)).toEqual([first.seq]);
    // Its acks belong to its stream alone, and none was a bad frame.
    expect(bad).toEqual([]);
  });

  it('[OB5] ends on unsubscribe, even twice, and starts again when repeated', async () => {
    const { world, alice, id } = await aPanel();
    const olga = await observer(world);
    const ask = (after_seq: number) => world.answer(olga.call('subscribe', { session_id: id, after_seq }));
    await ask(0);
    const head = logOf(world.store, id).length;
    await ask(head - 2);
    expect(olga.observed(id)).toEqual([...seqsTo(head), head - 1, head]);
    for (let i = 0; i < 2; i++)
      expect(await world.answer(olga.call('unsubscribe', { session_id: id }))).toEqual({ session_id: id });
    await say(world, alice, id, 'unheard');
    expect(olga.observed(id)).toHaveLength(head + 2);
  });

  it('[OB5, BP3] ends with the binding: replaced, bound again, or disconnected', async () => {
    const { world, alice, id } = await aPanel();
    const olga = await observer(world);
    await world.answer(olga.call('subscribe', { session_id: id }));
    const second = await world.peer('olga');
    await say(world, alice, id, 'one');
    expect([olga.observed(id), second.observed(id)]).toEqual([[], []]);
    await world.answer(second.call('subscribe', { session_id: id }));
    second.hello('olga');
    await world.settle();
    await say(world, alice, id, 'two');
    expect(second.observed(id)).toEqual([]);
    await world.answer(second.call('subscribe', { session_id: id }));
    await leave(world, second);
    await say(world, alice, id, 'three');
    expect(second.observed(id)).toEqual([]);
  });

  it('[OB5, OPR1] ends with an error to the observer when the grant is revoked', async () => {
    const { world, alice, id } = await aPanel();
    const olga = await observer(world);
    await world.answer(olga.call('subscribe', { session_id: id }));
    await world.answer(world.hub.grant('olga', ['rules']));
    const { seq } = await say(world, alice, id, 'one');
    await world.answer(world.hub.revoke('olga', ['observe']));
    await say(world, alice, id, 'two');
    expect(olga.observed(id)).toEqual([seq]);
    expect(olga.frames.at(-1)).toMatchObject({
      kind: 'error',
      error: { code: 'forbidden', details: { session_id: id, observed: true } },
    });
  });

  it('[OB6] is limited per connection; an ended one makes room', async () => {
    const { world, alice, bob, id } = await aConversation({ maxSubscriptions: 2 });
    const [second, third] = [await opened(world, alice, [bob]), await opened(world, alice, [bob])];
    const olga = await observer(world);
    const ask = (session_id: string) => olga.call('subscribe', { session_id });
    for (const one of [id, second, id]) await world.answer(ask(one));
    await refused(world, ask(third), 'too_large');
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    await world.answer(ask(third));
    await world.answer(olga.call('unsubscribe', { session_id: third }));
    await world.answer(ask(await invited(world, alice, [bob])));
    await refused(world, ask(third), 'too_large');
  });

  it('[OB7] is audited, like reading under the grant and rejected requests', async () => {
    const { world, alice, id } = await aPanel();
    const olga = await observer(world);
    await say(world, alice, id, 'psst', {
      audience: [(await sessionOf(world, alice, id)).participants[1]?.agent_id ?? ''],
    });
    await world.answer(olga.call('subscribe', { session_id: id }));
    const page = await world.answer(olga.call('read_log', { session_id: id }));
    expect(page.envelopes).toEqual(logOf(world.store, id));
    expect((await world.answer(olga.call('get_session', { session_id: id }))).session.session_id).toBe(id);
    await world.answer(alice.call('read_log', { session_id: id }));
    const audit = await world.hub.audit();
    const looks = audit.filter(({ kind }) => kind === 'session_observed');
    expect(looks.map(({ actor, session_id, detail }) => [actor, session_id, detail.op])).toEqual([
      [olga.agentId, id, 'subscribe'],
      [olga.agentId, id, 'read_log'],
      [olga.agentId, id, 'get_session'],
    ]);
  });

  it('[OB7] is audited once per session, operation, connection and hour', async () => {
    const { world, alice, bob, id } = await aPanel();
    const other = await opened(world, alice, [bob]);
    const olga = await observer(world);
    let events = 0;
    world.hub.on('sessionObserved', () => {
      events += 1;
    });
    const looks = async () =>
      (await world.hub.audit({ limit: 1_000 }))
        .filter(({ kind }) => kind === 'session_observed')
        .map(({ session_id, detail }) => `${session_id} ${detail.op}`);
    const look = async (peer: Peer) => {
      for (const session_id of [id, other]) {
        await world.answer(peer.call('read_state', { session_id }));
        await world.answer(peer.call('read_log', { session_id }));
      }
    };
    for (let times = 0; times < 10; times += 1) await look(olga);
    const once = [`${id} read_state`, `${id} read_log`, `${other} read_state`, `${other} read_log`];
    expect(await looks()).toEqual(once);
    expect(events).toBe(40);
    await leap(world, HOUR);
    await look(olga);
    expect(await looks()).toEqual([...once, ...once]);
    const again = await world.peer('olga');
    await look(again);
    expect(await looks()).toEqual([...once, ...once, ...once]);
  });

  it('[OB8, BP1] pauses under backpressure and continues where it stopped', async () => {
    const { world, alice, bob, id } = await aConversation({ maxUnsentBytes: 1000, tailLength: 2 });
    const slow = slowLink(world, { counting: true });
    await observer(world);
    const olga = slow.peer;
    olga.hello('olga');
    await world.settle();
    slow.unsent = 0;
    await world.answer(olga.call('subscribe', { session_id: id }));
    for (let i = 0; i < 40; i++) await say(world, i % 2 === 0 ? alice : bob, id, `m${i}`);
    expect(olga.observed(id).length).toBeLessThan(10);
    while (olga.observed(id).length < 40) {
      slow.drain();
      await world.settle();
    }
    expect(olga.observed(id)).toEqual(seqsTo(44, 5));
  });
});

describe('lists and views for observers', () => {
  it('[OB9] lists all sessions with the grant, and rejects without it', async () => {
    const { world, alice, id } = await aPanel();
    const olga = await observer(world);
    expect((await world.answer(olga.call('list_sessions', {}))).sessions).toEqual([]);
    const all = await world.answer(olga.call('list_sessions', { all: true }));
    expect(all.sessions.map(({ session_id }) => session_id)).toEqual([id]);
    await refused(world, alice.call('list_sessions', { all: true }), 'forbidden', 'params.all');
    await world.answer(world.hub.revoke('olga', ['observe']));
    await refused(world, olga.call('list_sessions', { all: true }), 'forbidden');
  });

  it('[OB9, OB7] shows a whole session to a participant that asks for it, only with the grant', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const dan = await world.peer('dan');
    await say(world, alice, id, 'for all');
    await say(world, bob, id, 'for carol', { audience: [carol.agentId] });
    const all = { session_id: id, all: true };
    const field = { field: 'params.all' };
    await refused(world, alice.call('read_log', all), 'forbidden', field);
    await refused(world, dan.call('read_log', all), 'not_found');
    await world.answer(world.hub.grant('alice', ['observe']));
    const looks = recordEvents(world, 'sessionObserved');
    const own = await world.answer(alice.call('read_log', { session_id: id }));
    expect(JSON.stringify(own)).not.toContain('for carol');
    expect(looks).toEqual([]);
    expect((await world.answer(alice.call('read_log', all))).envelopes).toEqual(logOf(world.store, id));
    expect(looks).toEqual([{ agent_id: alice.agentId, session_id: id, op: 'read_log' }]);
    await world.answer(world.hub.revoke('alice', ['observe']));
    await refused(world, alice.call('read_log', all), 'forbidden');
  });

  it('[OB9, OB7] shows the view of a participant, by name or id, and audits it', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const olga = await observer(world);
    world.hub.registerView(fullTranscript);
    await say(world, alice, id, 'for all');
    await say(world, bob, id, 'for carol', { audience: [carol.agentId] });
    const looks = recordEvents(world, 'sessionObserved');
    for (const [name, peer] of [
      ['alice', alice],
      ['carol', carol],
    ] as const) {
      const own = await world.answer(peer.call('read_view', { session_id: id }));
      expect(await world.answer(olga.call('read_view', { session_id: id, participant: name }))).toEqual(own);
      expect(await world.answer(olga.call('read_view', { session_id: id, participant: peer.agentId }))).toEqual(own);
      expect(await world.answer(peer.call('read_view', { session_id: id, participant: name }))).toEqual(own);
    }
    expect(looks).toEqual(
      Array.from({ length: 4 }, () => ({ agent_id: olga.agentId, session_id: id, op: 'read_view' })),
    );
  });

  it('[OB9] rejects the view of another without the grant, as not_found to a non-participant', async () => {
    const { world, alice, id } = await aPanel();
    const [dan, olga] = [await world.peer('dan'), await observer(world)];
    const asBob = { session_id: id, participant: 'bob' };
    await refused(world, alice.call('read_view', asBob), 'forbidden');
    expect(await refusal(world, dan.call('read_view', asBob))).toMatchObject({
      code: 'not_found',
      message: `no session ${id}`,
    });
    const nobody = await refusal(world, olga.call('read_view', { session_id: id, participant: 'nobody' }));
    expect(nobody).toMatchObject({ code: 'not_found', message: expect.stringContaining('no participant "nobody"') });
    const nowhere = { session_id: 'f'.repeat(32), participant: 'bob' };
    await refused(world, olga.call('read_view', nowhere), 'not_found');
  });
});
