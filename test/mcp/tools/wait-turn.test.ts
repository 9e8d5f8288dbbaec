/** `wait_turn`: what ends it, its progress notices, and its statelessness. */

import { describe, expect, test } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import type { Agent } from '../agent.ts';
import { HTTP, joining, WAYS } from '../transports.ts';

const ways = joining();

/** Runs concurrently over every transport, each with its own hub. */
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

test('[MC5] returns waiting within --max-wait, with a cursor for the next call', async () => {
  await overEveryWay(async (one, agent) => {
    const bob = await one.hub.agent('bob');
    const { id: session } = await agent.joins(bob);
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

test('[MC5] without turns, reports messages of others as a turn once, and own messages never', async () => {
  await overEveryWay(async (one, agent) => {
    const bob = await one.hub.agent('bob');
    const session = await bob.open('conversation', { participants: ['reviewer'], wait: 'created' });
    const { cursor } = await agent.value('wait_turn');
    await agent.value('accept_invite', { session: session.id });
    expect(await agent.waits({ cursor })).toContain('no new messages');
    await session.send('one');
    await session.send('two');
    const first = await agent.value('wait_turn', { cursor });
    expect(first).toMatchObject({ status: 'your_turn', messages: [{ text: 'one' }, { text: 'two' }] });
    // The agent does not answer.
    expect(await agent.waits({ cursor: first.cursor })).toContain('no new messages');
    await session.send('three');
    const second = await agent.value('wait_turn', { cursor: first.cursor });
    expect(second).toMatchObject({ status: 'your_turn', session: session.id });
    const said = await agent.value('say', { session: session.id, text: 'four', turn: second.turn });
    const after = { session: session.id, cursor: said.cursor };
    expect(await agent.waits(after)).toBe('no new messages');
  });
});

describe.each(WAYS)('over $over, revision $revision', (way) => {
  test('[MC5] wakes for a turn, an invite and an end, and sends progress', async () => {
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

  test('[MC5] ends immediately when cancelled, without effect on the next call', async () => {
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

test('[MC5] without turns, tells the creator to begin, even if it waited before the others accepted', async () => {
  const one = await HttpHub.open();
  const agent = await ways.join(one, 'reviewer', HTTP, '1s');
  const bob = await one.hub.agent('bob', { onInvite: () => new Promise(() => {}) });
  const { session } = await agent.value('session_open', { type: 'conversation', participants: ['bob'] });
  const early = await agent.value('wait_turn', { session });
  expect(early).toMatchObject({ status: 'waiting', reason: 'not all have accepted yet: bob' });
  await bob.call('ack_invite', { session_id: session });
  const begin = await agent.value('wait_turn', { session, cursor: early.cursor });
  expect(begin).toMatchObject({ status: 'your_turn', messages: [] });
  expect(await agent.waits({ session, cursor: begin.cursor })).toBe('no new messages');
});

test('[MC5] reports a turn among many open and ended sessions', async () => {
  const { agent, bob } = await ways.party('1s');
  const old = await agent.joins(bob);
  for (let i = 0; i < 60; i++) {
    const other = await agent.joins(bob);
    if (i % 10 === 0) await other.close('enough');
  }
  await old.send('You?');
  expect(await agent.value('wait_turn')).toMatchObject({ status: 'your_turn', session: old.id });
});

test('[MC5] reports turns, invites and ends of several sessions one at a time', async () => {
  const { agent, bob } = await ways.party('1s');
  const start = await agent.value('wait_turn');
  const sessions = [];
  for (const type of ['conversation', 'conversation', 'discussion']) {
    const session = await agent.joins(bob, type);
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

test('[MC5] reports each of many changed or ended sessions once, then waits', async () => {
  const { agent, bob } = await ways.party('1s');
  let { cursor } = await agent.value('wait_turn');
  const sessions: Awaited<ReturnType<typeof bob.open>>[] = [];
  for (let i = 0; i < 30; i++) {
    const session = await agent.joins(bob, 'conversation');
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
