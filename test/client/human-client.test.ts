import type { Message } from 'parley-hub/client';
import { expect, it } from 'vitest';
import { deferred, info, notify, receipt, S1, S2 } from './scripted-hub.ts';
import { heardAfter, human, tell } from './world.ts';

const of = (message: Message | null) => message && [message.session.id === S1 ? 1 : 2, message.from, message.text];

it('[CL22] pulls messages of all sessions in order and acks each when taken', async () => {
  const { hub, client } = await human();
  expect(await heardAfter(hub, notify({ seq: 1 }), notify({ seq: 1, session: S2 }), notify({ seq: 2 }))).toEqual([]);
  const pulled = [client.next(), client.next(), client.next(), client.next()];
  await hub.answer('get_session', info());
  await hub.answer('get_session', info({ session_id: S2 }));
  await hub.flush();
  expect((await hub.heard()).filter((text) => text.includes('receipt'))).toEqual([
    receipt(1),
    receipt(1, 'ack', undefined, S2),
    receipt(2),
  ]);
  await tell(hub, notify({ seq: 3 }));
  expect((await Promise.all(pulled)).map(of)).toEqual([
    [1, 'bob', 'text 1'],
    [2, 'bob', 'text 1'],
    [1, 'bob', 'text 2'],
    [1, 'bob', 'text 3'],
  ]);
});

it('[CL22] acks a pushed message when all callbacks are done', async () => {
  const { hub, client } = await human();
  const slow = deferred();
  const seen: string[] = [];
  client.onMessage(({ text }) => void seen.push(text));
  const remove = client.onMessage(() => slow.promise);
  await tell(hub, notify({ seq: 1 }));
  expect([seen, await hub.heard()]).toEqual([['text 1'], []]);
  slow.resolve();
  expect(await hub.heard()).toEqual([receipt(1)]);
  remove();
  remove();
  await tell(hub, notify({ seq: 2 }));
  expect([seen, await hub.heard()]).toEqual([['text 1', 'text 2'], [receipt(2)]]);
});

it('[CL22] keeps untaken messages for the next callback', async () => {
  const { hub, client } = await human();
  await tell(hub, notify({ seq: 1 }));
  const seen: string[] = [];
  const remove = client.onMessage(({ text }) => void seen.push(text));
  await hub.answer('get_session', info());
  expect([seen, await hub.heard()]).toEqual([['text 1'], [receipt(1)]]);
  remove();
  expect(await heardAfter(hub, notify({ seq: 2 }))).toEqual([]);
  expect(of(await client.next())).toEqual([1, 'bob', 'text 2']);
  client.onMessage(({ text }) => void seen.push(text));
  expect([seen, await hub.heard()]).toEqual([['text 1'], [receipt(2)]]);
});

it('[CL22] repeats a message whose callback threw; the others receive it anyway', async () => {
  const { hub, client } = await human();
  const seen: string[] = [];
  client.onMessage(() => {
    throw new Error('screen is off');
  });
  client.onMessage(({ text }) => void seen.push(text));
  await tell(hub, notify({ seq: 1 }));
  expect([seen, await hub.heard()]).toEqual([['text 1'], [receipt(1, 'nack', 'screen is off')]]);
});

it('[CL22] gives a message to a waiter in its session before waiters for any', async () => {
  const { hub, client } = await human();
  await tell(hub, notify({ seq: 1 }));
  expect((await client.session(S1).waitFor('msg.text')).seq).toBe(1);
  const any = client.next();
  const here = client.session(S1).waitFor('msg.text');
  await tell(hub, notify({ seq: 2 }), notify({ seq: 3 }));
  expect([(await here).seq, of(await any)]).toEqual([2, [1, 'bob', 'text 3']]);
});

it('[CL21] wakes all waiters on close: pulls get null, iterators end, untaken messages stay unacked', async () => {
  const { hub, client } = await human();
  const read: string[] = [];
  const iterating = (async () => {
    for await (const { text } of client) read.push(text);
    return 'over';
  })();
  await tell(hub, notify({ seq: 1 }));
  const pulls = [client.next(), client.next()];
  await hub.flush();
  client.close();
  expect(await Promise.all([...pulls, iterating])).toEqual([null, null, 'over']);
  expect([read, await client.next()]).toEqual([['text 1'], null]);

  const other = await human();
  await tell(other.hub, notify({ seq: 1 }));
  other.client.close();
  expect([await other.client.next(), await other.hub.heard()]).toEqual([null, []]);
});

it('[CL21] wakes them when the link closes, too', async () => {
  const { hub, client } = await human();
  const pull = client.next();
  hub.close();
  expect([await pull, await client.closed]).toEqual([null, { by: 'link' }]);
});

it('[CL17] takes nothing for an aborted pull', async () => {
  const { hub, client } = await human();
  const stop = new AbortController();
  const pull = client.next({ signal: stop.signal });
  stop.abort(new Error('bored'));
  await expect(pull).rejects.toThrow('bored');
  expect(await heardAfter(hub, notify({ seq: 1 }))).toEqual([]);
});

it('[CL15, CL13] accepts invites and reports ends', async () => {
  const told: string[] = [];
  const { hub } = await human({
    onEvent: ({ event_type }, { id, state }) => void told.push(`${event_type} ${id === S1} ${state}`),
  });
  await tell(hub, notify({ seq: 2, prev: null, type: 'session.invite', data: { role: 'participant' } }));
  await hub.answer('ack_invite', { state: 'ACTIVE' });
  await tell(hub, notify({ seq: 4, prev: 0, type: 'session.closed', data: { reason: 'done' } }));
  expect([told, await hub.heard()]).toEqual([['session.closed true CLOSED'], [receipt(4)]]);
});
