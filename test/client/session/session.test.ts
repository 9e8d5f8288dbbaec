import { getEventListeners } from 'node:events';
import type { AgentOptions, Invite, Message, Session, TurnOffer } from 'parley-hub/client';
import { describe, expect, it } from 'vitest';
import { BOB, countedIds, deferred, info, keptLog, ME, metadata, notify, receipt, S1, S2 } from '../scripted-hub.ts';
import { agent, heardAfter, tell } from '../world.ts';

const MINE = { agent_id: ME, since_seq: 1 };
const ANSWER = { envelope_id: 'envelope-9', seq: 9, created_at: '2026-01-01T00:00:00.000Z', turn: null };

async function opened(options: Partial<AgentOptions> = {}) {
  const world = await agent(options);
  const opening = world.client.open('conversation', ['bob']);
  await world.hub.answer('create_session', { session: metadata({ creator_id: ME }) });
  return { ...world, session: await opening };
}

describe('opening', () => {
  it('[CL16] accepts a list of names and sends options with their wire names', async () => {
    const { hub, client } = await agent();
    const short = client.open('conversation', ['bob']);
    expect(await hub.answer('create_session', { session: metadata() })).toEqual({
      type: 'conversation',
      participants: ['bob'],
    });
    expect([(await short).id, (await short).state]).toEqual([S1, 'ACTIVE']);
    const long = client.open('discussion', {
      participants: ['bob', 'carol'],
      knobs: { rounds: 2 },
      labels: { team: 'red' },
      intent: 'plan',
      ttl: '1h',
      requiredAcks: 1,
      key: 'once',
      wait: 'created',
    });
    expect(await hub.answer('create_session', { session: metadata({ session_id: S2, state: 'INVITED' }) })).toEqual({
      type: 'discussion',
      participants: ['bob', 'carol'],
      knobs: { rounds: 2 },
      labels: { team: 'red' },
      intent: 'plan',
      ttl: '1h',
      required_acks: 1,
      idempotency_key: 'once',
      wait: 'created',
    });
    expect((await long).state).toBe('INVITED');
    expect(await long).toBe(client.session(S2));
  });

  it('[CL16] lists sessions page by page', async () => {
    const { hub, client } = await agent();
    const ids: string[] = [];
    const listing = (async () => {
      for await (const { session_id } of client.sessions({ states: ['ACTIVE'] })) ids.push(session_id);
    })();
    expect(await hub.answer('list_sessions', { sessions: [{ session_id: S1 }], next: 'p2' })).toEqual({
      states: ['ACTIVE'],
    });
    expect(await hub.answer('list_sessions', { sessions: [{ session_id: S2 }], next: null })).toEqual({
      states: ['ACTIVE'],
      after: 'p2',
    });
    await listing;
    expect(ids).toEqual([S1, S2]);
  });
});

describe('sending', () => {
  it('[CL20] posts text and other content under a new key', async () => {
    const { hub, session } = await opened();
    const sent = session.send('hi');
    expect(await hub.heard()).toEqual([
      `{"kind":"request","request_id":"r2","op":"post","as":"${ME}","params":{"event_type":"msg.text","event_data":{"text":"hi"},"session_id":"${S1}","idempotency_key":"key-1"}}`,
    ]);
    hub.say({ kind: 'response', request_id: 'r2', ok: true, result: ANSWER });
    expect(await sent).toEqual(ANSWER);
    const packet = { event_type: 'msg.packet', event_data: { body: 1 }, priority: 'urgent' } as const;
    const other = session.send(packet, { key: 'mine', expectedSeq: 9, causationId: 'envelope-8', to: ['bob'] });
    expect(await hub.answer('post', ANSWER)).toEqual({
      session_id: S1,
      ...packet,
      audience: [BOB],
      idempotency_key: 'mine',
      expected_seq: 9,
      causation_id: 'envelope-8',
    });
    await other;
  });

  it('[CL20] keeps the order of sends while names are resolved', async () => {
    const { hub, client } = await agent();
    const session = client.session(S1);
    const sends = [session.send('a', { to: ['bob'] }), session.send('b'), session.send('c', { to: [BOB] })];
    await hub.answer('get_session', info());
    const posted = [
      await hub.answer('post', ANSWER),
      await hub.answer('post', ANSWER),
      await hub.answer('post', ANSWER),
    ];
    await Promise.all(sends);
    expect(posted.map(({ event_data, audience }) => [event_data, audience])).toEqual([
      [{ text: 'a' }, [BOB]],
      [{ text: 'b' }, undefined],
      [{ text: 'c' }, [BOB]],
    ]);
  });

  it('[CL20] rejects recipients that are not participants', async () => {
    const { hub, session } = await opened();
    const refused = expect(session.send('psst', { to: ['eve'] })).rejects.toMatchObject({
      name: 'HubError',
      code: 'unknown_participant',
      message: 'expected the name of a participant (alice, bob), got "eve"',
    });
    await hub.answer('get_session', info());
    await refused;
    const next = session.send('hi');
    await hub.answer('post', ANSWER);
    await next;
  });

  it('[CL20] a reply names its cause', async () => {
    const { hub } = await agent({ onMessage: (message) => void message.reply('well') });
    await tell(hub, notify({ seq: 1 }));
    expect(await hub.answer('post', ANSWER)).toMatchObject({
      event_data: { text: 'well' },
      causation_id: 'envelope-1',
    });
  });

  it('[CL20] sends close, canSend and view requests unchanged', async () => {
    const { hub, session } = await opened();
    const can = session.canSend();
    expect(await hub.answer('can_send', { can: true, code: null, why: null, turn: null })).toEqual({ session_id: S1 });
    expect((await can).can).toBe(true);
    const told = session.info();
    await hub.answer('get_session', info());
    expect((await told).session.session_id).toBe(S1);
    const closing = session.close('enough', { wait: 'closed' });
    expect(await hub.answer('close_session', { state: 'CLOSED', close_reason: 'enough' })).toEqual({
      session_id: S1,
      reason: 'enough',
      wait: 'closed',
    });
    expect([await closing, session.state]).toEqual([{ state: 'CLOSED', close_reason: 'enough' }, 'CLOSED']);
  });

  it('[CL20] reads the log page by page', async () => {
    const { hub, session } = await opened();
    const seqs: number[] = [];
    const reading = (async () => {
      for await (const { seq } of session.log({ fromSeq: 3, pageSize: 2 })) seqs.push(seq);
    })();
    const page = (list: number[], next: number | null) => ({
      envelopes: list.map((seq) => ({ seq })),
      next,
      head_seq: 6,
    });
    expect(await hub.answer('read_log', page([3, 4], 5))).toEqual({ session_id: S1, from_seq: 3, limit: 2 });
    expect(await hub.answer('read_log', page([5, 6], null))).toEqual({ session_id: S1, from_seq: 5, limit: 2 });
    await reading;
    expect(seqs).toEqual([3, 4, 5, 6]);
  });
});

describe('invites', () => {
  const invited = notify({ seq: 2, prev: null, type: 'session.invite', data: { agent_id: ME, role: 'respondent' } });

  it('[CL15] accepts invites by default', async () => {
    const { hub, client } = await agent();
    hub.say(invited);
    expect(await hub.answer('ack_invite', { state: 'ACTIVE' })).toEqual({ session_id: S1 });
    expect([client.session(S1).state, await hub.heard()]).toEqual(['ACTIVE', []]);
  });

  it.each([
    [true, 'ack_invite', { session_id: S1 }],
    [false, 'reject_invite', { session_id: S1 }],
    [{ reject: 'busy' }, 'reject_invite', { session_id: S1, reason: 'busy' }],
    [new Error('too much'), 'reject_invite', { session_id: S1, reason: 'too much' }],
  ])('[CL15] onInvite decides: %s', async (decision, op, params) => {
    const invites: Invite[] = [];
    const { hub } = await agent({
      onInvite: async (invite) => {
        invites.push(invite);
        if (decision instanceof Error) throw decision;
        return decision;
      },
    });
    await tell(hub, invited);
    expect(await hub.answer(op, { state: 'INVITED' })).toEqual(params);
    expect(invites).toMatchObject([{ type: 'conversation', role: 'respondent', from: 'bob', session: { id: S1 } }]);
  });

  it.each<[unknown, string]>([
    ['reject', '"reject"'],
    [undefined, 'nothing'],
    [{ reject: 5 }, 'an object with reject'],
    [null, 'null'],
  ])('[CL15] an answer that is no decision rejects and says so: %j', async (answer, received) => {
    const log = keptLog();
    // Callers without types do what types forbid.
    const { hub } = await agent({ log, onInvite: () => answer as boolean });
    await tell(hub, invited);
    const reason = `the answer of onInvite: expected true, false or {reject: "why"}, got ${received}`;
    expect(await hub.answer('reject_invite', { state: 'INVITED' })).toEqual({ session_id: S1, reason });
    expect(log.lines).toEqual([`onInvite failed ${JSON.stringify({ session_id: S1, error: reason })}`]);
  });

  it('[CL15] answers a repeated invite once', async () => {
    const decision = deferred<boolean>();
    let asked = 0;
    const { hub } = await agent({
      onInvite: () => {
        asked += 1;
        return decision.promise;
      },
    });
    await tell(hub, invited, invited);
    await tell(hub, invited);
    decision.resolve(true);
    await hub.answer('ack_invite', { state: 'ACTIVE' });
    expect([asked, await hub.heard()]).toEqual([1, []]);
  });

  it('[CL15] answers a later invite after the pending answer', async () => {
    const decisions = [false, true];
    const { hub } = await agent({ onInvite: () => decisions.shift() ?? false });
    await tell(hub, invited);
    const again = notify({ seq: 9, prev: null, type: 'session.invite', data: { agent_id: ME, role: 'respondent' } });
    await tell(hub, again, again);
    await hub.answer('reject_invite', { state: 'ACTIVE' });
    await tell(hub);
    await hub.answer('ack_invite', { state: 'ACTIVE' });
    expect([decisions, await hub.heard()]).toEqual([[], []]);
  });

  it('[CL15] logs an answer that comes too late and answers the next invite', async () => {
    const log = keptLog();
    const { hub } = await agent({ log });
    hub.say(invited);
    await hub.refuse('ack_invite', { code: 'session_closed', message: 'it is over' });
    await hub.flush();
    expect(log.lines).toEqual([`answering an invite failed {"session_id":"${S1}","error":"it is over"}`]);
    hub.say(invited);
    await hub.answer('ack_invite', { state: 'ACTIVE' });
  });
});

describe('waiting', () => {
  it('[CL16] keeps content unacked without a handler until it is taken', async () => {
    const { hub, session } = await opened();
    await tell(hub, notify({ seq: 1 }), notify({ seq: 2, type: 'note', data: { n: 1 } }), notify({ seq: 3 }));
    expect(await hub.heard()).toEqual([]);
    expect((await session.waitFor('note')).seq).toBe(2);
    expect((await session.waitFor(() => true)).seq).toBe(1);
    expect(await hub.heard()).toEqual([receipt(2), receipt(1)]);
    const last = session.waitFor(({ seq }) => seq === 4);
    await tell(hub, notify({ seq: 4 }));
    expect((await last).seq).toBe(4);
    expect(await hub.heard()).toEqual([receipt(4)]);
  });

  it('[CL16] prefers waiters to the handler, even inside it', async () => {
    const handled: string[] = [];
    const { hub, session } = await opened({
      onMessage: async (message, inSession) => {
        handled.push(message.text);
        handled.push(`asked: ${(await inSession.waitFor('msg.text')).event_data.text}`);
      },
    });
    const waiting = session.waitFor('msg.text');
    await tell(hub, notify({ seq: 1 }));
    expect((await waiting).seq).toBe(1);
    await tell(hub, notify({ seq: 2 }), notify({ seq: 3 }));
    expect(handled).toEqual(['text 2', 'asked: text 3']);
    expect(await hub.heard()).toEqual([receipt(1), receipt(3), receipt(2)]);
  });

  it('[CL16] lets several waiters see a hub envelope', async () => {
    const { hub, session } = await opened();
    const both = [session.waitFor('session.participant.joined'), session.waitFor('session.participant.joined')];
    await tell(
      hub,
      notify({ seq: 1, type: 'session.participant.joined', data: { agent_id: 'id-carol', name: 'carol' } }),
    );
    expect((await Promise.all(both)).map(({ seq }) => seq)).toEqual([1, 1]);
    expect(await hub.heard()).toEqual([receipt(1)]);
    const closed = session.waitFor('session.closed');
    await tell(hub, notify({ seq: 2, type: 'session.closed', data: { reason: 'done' } }));
    expect((await closed).seq).toBe(2);
  });

  it('[CL17] ends a wait with the session, after its last content', async () => {
    const { hub, session } = await opened();
    const waiting = expect(session.waitFor('note')).rejects.toMatchObject({
      name: 'HubError',
      code: 'session_ended',
      message: `session ${S1} is CLOSED (enough)`,
    });
    await tell(hub, notify({ seq: 1 }), notify({ seq: 2, type: 'session.closing', data: { reason: 'enough' } }));
    await tell(hub, notify({ seq: 3, type: 'session.closed', data: { reason: 'enough' } }));
    await waiting;
    expect(await session.ended()).toEqual({ state: 'CLOSED', reason: 'enough' });
    expect((await session.waitFor('msg.text')).seq).toBe(1);
    await expect(session.waitFor('msg.text')).rejects.toMatchObject({ code: 'session_ended' });
  });

  it('[CL17] ends a wait on expiry and removal', async () => {
    const { hub, session, client } = await opened();
    const ends = Promise.all([session.ended(), client.session(S2).ended()]);
    await hub.answer('get_session', info({ session_id: S2 }));
    await tell(hub, notify({ seq: 1, type: 'session.expired', data: { reason: 'ttl_expired' } }));
    const removed = { agent_id: ME, reason: 'left' };
    await tell(hub, notify({ seq: 1, session: S2, type: 'session.participant.removed', data: removed }));
    expect(await ends).toEqual([
      { state: 'EXPIRED', reason: 'ttl_expired' },
      { state: 'REMOVED', reason: 'left' },
    ]);
  });

  it('[CL17] ends immediately if the session ended long ago', async () => {
    const { hub, client } = await agent();
    const waiting = expect(client.session(S1).waitFor('msg.text')).rejects.toMatchObject({ code: 'session_ended' });
    await hub.answer('get_session', info({ state: 'CLOSED', close_reason: 'explicit_close' }));
    await waiting;
    expect(await client.session(S1).ended()).toEqual({ state: 'CLOSED', reason: 'explicit_close' });
    const stranger = expect(client.session(S2).ended()).rejects.toMatchObject({ code: 'not_found' });
    await hub.refuse('get_session', { code: 'not_found', message: 'no session' });
    await stranger;
  });

  it('[CL17] takes nothing for an aborted wait', async () => {
    const { hub, session } = await opened();
    const stop = new AbortController();
    const waits = [session.waitFor('msg.text', { signal: stop.signal }), session.ended({ signal: stop.signal })];
    stop.abort(new Error('enough'));
    expect(await Promise.allSettled(waits)).toMatchObject([
      { status: 'rejected', reason: { message: 'enough' } },
      { status: 'rejected', reason: { message: 'enough' } },
    ]);
    await expect(session.waitFor('msg.text', { signal: stop.signal })).rejects.toThrow('enough');
    expect(await heardAfter(hub, notify({ seq: 1 }))).toEqual([]);
    expect((await session.waitFor('msg.text')).seq).toBe(1);
  });

  it('[CL17] leaves no listener on the signal', async () => {
    const { hub, session } = await opened();
    const { signal } = new AbortController();
    const waiting = session.waitFor('msg.text', { signal });
    await tell(hub, notify({ seq: 1 }));
    await waiting;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('[CL18] iterates over messages until the session ends', async () => {
    const { hub, session } = await opened();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const { text, from } of session) texts.push(`${from}: ${text}`);
    })();
    await tell(hub, notify({ seq: 1 }), notify({ seq: 2, type: 'session.participant.joined', data: {} }));
    expect(await hub.heard()).toEqual([receipt(1), receipt(2)]);
    await tell(hub, notify({ seq: 3 }), notify({ seq: 4, type: 'session.closed', data: { reason: 'done' } }));
    await reading;
    expect(texts).toEqual(['bob: text 1', 'bob: text 3']);
  });

  it('[CL18] delivers earlier content although the session has ended elsewhere', async () => {
    const { hub, session } = await opened();
    const texts: string[] = [];
    await tell(hub, notify({ seq: 1 }));
    const reading = (async () => {
      for await (const { text } of session) texts.push(text);
    })();
    const told = session.info();
    await hub.answer('get_session', info({ state: 'CLOSED', close_reason: 'done', head_seq: 3 }));
    expect([(await told).session.state, session.state]).toEqual(['CLOSED', 'CLOSED']);
    await tell(hub, notify({ seq: 2 }), notify({ seq: 3, type: 'session.closed', data: { reason: 'done' } }));
    await reading;
    expect(texts).toEqual(['text 1', 'text 2']);
  });

  it('[CL13] does not move the state back for an older answer', async () => {
    const { hub, session } = await opened();
    const told = session.info();
    await tell(hub, notify({ seq: 1, type: 'session.closing', data: { reason: 'done' } }));
    await told;
    expect(session.state).toBe('CLOSING');
  });

  it('[CL21] wakes all waiters when the client closes', async () => {
    const { hub, client, session } = await opened();
    await tell(hub, notify({ seq: 1, type: 'note' }));
    const iterating = (async () => {
      for await (const { envelope } of client.session(S1)) expect(envelope.seq).toBe(1);
      return 'over';
    })();
    await hub.flush();
    const waits = [session.waitFor('msg.text'), session.ended(), client.call('health', {})].map((wait) =>
      wait.catch(({ code }) => code),
    );
    client.close();
    client.close();
    expect(await Promise.all(waits)).toEqual(['client_closed', 'client_closed', 'unavailable']);
    expect([await iterating, await client.closed, client.state]).toEqual(['over', { by: 'caller' }, 'closed']);
    await expect(client.session(S2).waitFor('msg.text')).rejects.toMatchObject({ code: 'client_closed' });
    await hub.flush();
    expect(hub.linkClosed).toBe(true);
  });
});

describe('turns', () => {
  async function speaker(onTurn: (turn: TurnOffer, session: Session) => void | Promise<void>) {
    const read: Message[] = [];
    const world = await agent({ ids: countedIds(), onMessage: (message) => void read.push(message), onTurn });
    return { ...world, read };
  }

  it('[CL19] uses the newest turn, including the answer to our own post', async () => {
    const { hub, session } = await opened();
    expect(session.isMyTurn).toBe(true);
    await tell(hub, notify({ seq: 1, turn: { agent_id: BOB, since_seq: 1 } }));
    expect(session.isMyTurn).toBe(false);
    await tell(hub, notify({ seq: 2, turn: { agent_id: ME, since_seq: 2 } }));
    expect([session.isMyTurn, session.turn]).toEqual([true, { agent_id: ME, since_seq: 2 }]);
    const sent = session.send('hi');
    await hub.answer('post', { ...ANSWER, seq: 5, turn: { agent_id: BOB, since_seq: 5 } });
    await sent;
    expect(session.isMyTurn).toBe(false);
    await tell(hub, notify({ seq: 3, prev: 2, turn: { agent_id: ME, since_seq: 2 } }));
    expect(session.isMyTurn).toBe(false);
  });

  it('[CL19] without a turn, content of others is for us until the session ends', async () => {
    const mine: boolean[] = [];
    const { hub } = await agent({ onMessage: ({ isMyTurn }) => void mine.push(isMyTurn) });
    await tell(hub, notify({ seq: 1 }));
    await tell(hub, notify({ seq: 2 }), notify({ seq: 3, type: 'session.closing', data: { reason: 'done' } }));
    expect(mine).toEqual([true, false]);
  });

  it('[CL19] calls onTurn once, after all content was read', async () => {
    const turns: (string | undefined)[] = [];
    const { hub, read } = await speaker(({ message }) => void turns.push(message?.text));
    await tell(hub, notify({ seq: 1, turn: MINE }), notify({ seq: 2, turn: MINE }));
    await tell(hub, notify({ seq: 3, turn: MINE }));
    expect([read.length, turns]).toEqual([3, ['text 2']]);
    await tell(hub, notify({ seq: 4, turn: { agent_id: BOB, since_seq: 4 } }));
    await tell(hub, notify({ seq: 5, turn: { agent_id: ME, since_seq: 5 } }));
    expect(turns).toEqual(['text 2', 'text 5']);
  });

  it('[CL19] offers a turn without a message and acks it once taken', async () => {
    const done = deferred();
    const turns: (Message | null)[] = [];
    const { hub } = await speaker(({ message }) => {
      turns.push(message);
      return done.promise;
    });
    await tell(hub, notify({ seq: 1, type: 'session.opened', turn: MINE }));
    await tell(hub, notify({ seq: 2, type: 'session.participant.joined', data: {}, turn: MINE }));
    expect([turns, await hub.heard()]).toEqual([[null], [receipt(2)]]);
    done.resolve();
    expect(await hub.heard()).toEqual([receipt(1)]);
  });

  it('[CL19] repeats a failed turn with what gave it', async () => {
    let broken = true;
    let offered = 0;
    const { hub } = await speaker(() => {
      offered += 1;
      if (broken) throw new Error('no model');
    });
    await tell(hub, notify({ seq: 1, type: 'session.opened', turn: MINE }));
    expect(await hub.heard()).toEqual([receipt(1, 'nack', 'no model')]);
    broken = false;
    await tell(hub, notify({ seq: 1, type: 'session.opened', turn: MINE, attempt: 2 }));
    expect([offered, await hub.heard()]).toEqual([2, [receipt(1)]]);
  });

  it('[CL27] offers the turn again when the session becomes available', async () => {
    const turns: (string | undefined)[] = [];
    const { hub } = await speaker(({ message }) => void turns.push(message?.text));
    await tell(hub, notify({ seq: 1, turn: MINE }));
    await tell(hub, notify({ seq: 2, type: 'session.available', data: {}, turn: MINE }));
    await tell(hub, notify({ seq: 3, type: 'session.participant.joined', data: {}, turn: MINE }));
    expect([turns, await hub.heard()]).toEqual([['text 1', undefined], [1, 2, 3].map((seq) => receipt(seq))]);
  });

  it('[CL9, CL19] a turn in a new epoch is a new turn', async () => {
    let offered = 0;
    const { hub } = await speaker(() => void offered++);
    await tell(hub, notify({ seq: 1, turn: MINE }));
    await tell(hub, notify({ seq: 1, epoch: 2, turn: MINE }));
    expect(offered).toBe(2);
  });

  it('[CL19] offers a turn our own post gave back', async () => {
    const turns: (string | undefined)[] = [];
    const { hub } = await speaker(async ({ message }, session) => {
      turns.push(message?.text);
      if (turns.length < 3) await session.send(`part ${turns.length}`);
    });
    await tell(hub, notify({ seq: 1, turn: MINE }));
    await hub.answer('post', { ...ANSWER, seq: 2, turn: { agent_id: ME, since_seq: 2 } });
    await hub.answer('post', { ...ANSWER, seq: 3, turn: { agent_id: ME, since_seq: 3 } });
    expect(turns).toEqual(['text 1', undefined, undefined]);
    expect(await hub.heard()).toEqual([receipt(1)]);
  });
});
