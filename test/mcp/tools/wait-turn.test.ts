/** `wait_turn`: what ends it, what it says meanwhile, and that nothing is kept between calls. */

import { describe, expect, test } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import type { Agent } from '../agent.ts';
import { joining, WAYS } from '../transports.ts';

const ways = joining();

/** Each with a hub of its own, all at once: what takes a while is waited for once. */
async function overEveryWay(shown: (one: HttpHub, agent: Agent) => Promise<void>): Promise<void> {
  await Promise.all(
    WAYS.map(async (way) => {
      const one = await HttpHub.open();
      const agent = await ways.join(one, 'reviewer', way, '1s');
      await agent.value('sessions');
      await shown(one, agent).catch((error: Error) => {
        error.message = `over ${way.over}, revision ${way.revision}: ${error.message}`;
        throw error;
      });
    }),
  );
}

test('[MC5] it answers within --max-wait that it still waits, with a cursor to call again', async () => {
  await overEveryWay(async (one, agent) => {
    const bob = await one.hub.agent('bob');
    const { id: session } = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
    await agent.value('accept_invite', { session });
    const both = (around: Record<string, unknown>, within: object) =>
      Promise.all([agent.value('wait_turn', around), agent.value('wait_turn', { session, ...within })]);
    const [anywhere, inIt] = await both({}, {});
    expect(anywhere).toMatchObject({ status: 'waiting', call_again: true });
    expect(anywhere.next).toContain('call wait_turn again');
    expect(inIt).toMatchObject({ status: 'waiting', reason: 'bob is expected', call_again: true });
    const again = await both({ cursor: anywhere.cursor }, { cursor: inIt.cursor });
    expect(again).toMatchObject([
      { status: 'waiting', cursor: anywhere.cursor },
      { status: 'waiting', cursor: inIt.cursor },
    ]);
  });
});

test('[MC5] where all may speak, what others say is a turn once, and one’s own words are none', async () => {
  await overEveryWay(async (one, agent) => {
    const bob = await one.hub.agent('bob');
    const session = await bob.open('conversation', { participants: ['reviewer'], wait: 'created' });
    const { cursor } = await agent.value('wait_turn');
    await agent.value('accept_invite', { session: session.id });
    expect(await agent.waits({ cursor })).toContain('nobody has said anything new');
    await session.send('one');
    await session.send('two');
    const first = await agent.value('wait_turn', { cursor });
    expect(first).toMatchObject({ status: 'your_turn', messages: [{ text: 'one' }, { text: 'two' }] });
    // It has nothing to say to that.
    expect(await agent.waits({ cursor: first.cursor })).toContain('nobody has said anything new');
    await session.send('three');
    const second = await agent.value('wait_turn', { cursor: first.cursor });
    expect(second).toMatchObject({ status: 'your_turn', session: session.id });
    const said = await agent.value('say', { session: session.id, text: 'four', turn: second.turn });
    const after = { session: session.id, cursor: said.cursor };
    expect(await agent.waits(after)).toBe('nobody has said anything new');
  });
});

describe.each(WAYS)('over $over, revision $revision', (way) => {
  test('[MC5] whoever waits is woken by a turn, an invite and an end, and hears that it goes on', async () => {
    const one = await HttpHub.open();
    const agent = await ways.join(one, 'reviewer', way);
    await agent.value('sessions');
    const bob = await one.hub.agent('bob', { onMessage: () => {} });
    const told: string[] = [];
    let goesOn = (): void => {};
    const isWaiting = () =>
      new Promise<void>((resolve) => {
        goesOn = resolve;
      });
    const onprogress = ({ message = '' }): void => {
      told.push(message);
      goesOn();
    };
    let waits = isWaiting();
    const forInvite = agent.value('wait_turn', {}, { onprogress });
    await waits;
    const session = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
    const invited = await forInvite;
    expect(invited).toMatchObject({ status: 'invited', session: session.id });
    await agent.value('accept_invite', { session: session.id });
    waits = isWaiting();
    const forTurn = agent.value('wait_turn', { session: session.id }, { onprogress });
    await waits;
    await session.send('Now you.');
    const mine = await forTurn;
    expect(mine).toMatchObject({ status: 'your_turn', messages: [{ text: 'Now you.' }] });
    await agent.value('say', { session: session.id, text: 'Yes.', turn: mine.turn });
    waits = isWaiting();
    const forEnd = agent.value('wait_turn', { cursor: invited.cursor }, { onprogress });
    await waits;
    await session.close('enough');
    expect(await forEnd).toMatchObject({ status: 'closed', session: session.id, reason: 'enough' });
    expect(told).toEqual(
      expect.arrayContaining(['you are in no session, and nobody has invited you yet', 'bob is expected']),
    );
  });

  test('[MC5] a call that is cancelled ends at once, and the next one goes on as if it had not been', async () => {
    const one = await HttpHub.open();
    const agent = await ways.join(one, 'reviewer', way, '10m');
    const cancel = new AbortController();
    const waiting = agent.call('wait_turn', {}, { signal: cancel.signal, onprogress: () => cancel.abort() });
    await expect(waiting).rejects.toThrow();
    const bob = await one.hub.agent('bob');
    const session = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
    expect(await agent.value('wait_turn')).toMatchObject({ status: 'invited', session: session.id });
  });
});

test('[MC5] who opened a session where all may speak is told to begin, also if it waited before the others accepted', async () => {
  const one = await HttpHub.open();
  const agent = await ways.join(one, 'reviewer', { over: 'http', revision: '2026' }, '1s');
  const bob = await one.hub.agent('bob', { onInvite: () => new Promise(() => {}) });
  const { session } = await agent.value('session_open', { type: 'conversation', participants: ['bob'] });
  const early = await agent.value('wait_turn', { session });
  expect(early).toMatchObject({ status: 'waiting', reason: 'not all have accepted yet: bob' });
  await bob.call('ack_invite', { session_id: session });
  const begin = await agent.value('wait_turn', { session, cursor: early.cursor });
  expect(begin).toMatchObject({ status: 'your_turn', messages: [] });
  expect(await agent.waits({ session, cursor: begin.cursor })).toBe('nobody has said anything new');
});

test('[MC5] a turn is told however many sessions there are, and many that ended hide none', async () => {
  const one = await HttpHub.open();
  const agent = await ways.join(one, 'reviewer', { over: 'http', revision: '2026' }, '1s');
  await agent.value('sessions');
  const bob = await one.hub.agent('bob', { onMessage: () => {} });
  const old = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
  await agent.value('accept_invite', { session: old.id });
  for (let i = 0; i < 60; i++) {
    const other = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
    await agent.value('accept_invite', { session: other.id });
    if (i % 10 === 0) await other.close('enough');
  }
  await old.send('You?');
  expect(await agent.value('wait_turn')).toMatchObject({ status: 'your_turn', session: old.id });
});

test('[MC5] with several sessions each turn, invite and end is told, one at a time', async () => {
  const one = await HttpHub.open();
  const agent = await ways.join(one, 'reviewer', { over: 'http', revision: '2026' }, '1s');
  const start = await agent.value('wait_turn');
  const bob = await one.hub.agent('bob');
  const sessions = [];
  for (const type of ['conversation', 'conversation', 'discussion']) {
    const session = await bob.open(type, { participants: ['reviewer'], wait: 'created' });
    await agent.value('accept_invite', { session: session.id });
    await session.send('hello');
    sessions.push(session);
  }
  const heard = [];
  let { cursor } = start;
  for (let i = 0; i < 3; i++) {
    const found = await agent.value('wait_turn', { cursor });
    expect(found.status).toBe('your_turn');
    if (found.type === 'discussion') await agent.value('say', { session: found.session, text: 'hi', turn: found.turn });
    heard.push(found.session);
    cursor = found.cursor;
  }
  expect(heard.sort()).toEqual(sessions.map(({ id }) => id).sort());
  await agent.waits({ cursor });
  for (const session of sessions) await session.close('bye');
  const ended = [];
  for (let i = 0; i < 3; i++) {
    const found = await agent.value('wait_turn', { cursor });
    expect(found).toMatchObject({ status: 'closed', reason: 'bye' });
    ended.push(found.session);
    cursor = found.cursor;
  }
  expect(ended.sort()).toEqual(heard);
  await agent.waits({ cursor });
});

test('[MC5] however many sessions end or have something new, each is told once and then it waits', async () => {
  const one = await HttpHub.open();
  const agent = await ways.join(one, 'reviewer', { over: 'http', revision: '2026' }, '1s');
  let { cursor } = await agent.value('wait_turn');
  const bob = await one.hub.agent('bob');
  const sessions: Awaited<ReturnType<typeof bob.open>>[] = [];
  for (let i = 0; i < 30; i++) {
    const session = await bob.open('conversation', { participants: ['reviewer'], wait: 'created' });
    await agent.value('accept_invite', { session: session.id });
    await session.send('hello');
    sessions.push(session);
  }
  const told = async (status: string): Promise<readonly string[]> => {
    const heard = [];
    for (const _ of sessions) {
      const found = await agent.value('wait_turn', { cursor });
      cursor = found.cursor;
      if (found.status === status) heard.push(found.session);
    }
    await agent.waits({ cursor });
    return heard.sort();
  };
  const all = sessions.map(({ id }) => id).sort();
  expect(await told('your_turn')).toEqual(all);
  for (const session of sessions) await session.close('bye');
  expect(await told('closed')).toEqual(all);
  expect(cursor.length).toBeLessThan(1_000);
});
