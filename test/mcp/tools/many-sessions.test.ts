/** `wait_turn` with many sessions: nothing hides anything else, and unchanged sessions are not checked again. */

import { createHub, type LocalHub } from 'parley-hub';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationName } from '../../../src/core/protocol/operations/operations.ts';
import { checkAllSessions } from '../../../src/mcp/session/check-all-sessions.ts';
import type { Participant } from '../../../src/mcp/session/participant.ts';

let hub: LocalHub;
let asked: OperationName[] = [];
let look: (cursor?: string) => ReturnType<typeof checkAllSessions>;
let scene: Awaited<ReturnType<typeof party>>;

beforeEach(async () => {
  hub = await createHub();
  scene = await party();
  look = (cursor) => checkAllSessions(scene.participant, cursor);
});
afterEach(() => hub.stop());

async function party() {
  const reviewer = await hub.agent('reviewer', { onInvite: () => new Promise(() => {}) });
  const participant: Participant = {
    agentId: Promise.resolve(reviewer.agentId),
    call(op, params) {
      asked.push(op);
      return reviewer.call(op, params);
    },
    watch: () => ({ next: async () => {}, end() {} }),
    hasRead() {},
  };
  const bob = await hub.agent('bob', { onMessage: () => {} });
  const open = (type: string) => bob.open(type, { participants: ['reviewer'], wait: 'created' });
  const joined = async (type: string) => {
    const session = await open(type);
    await reviewer.call('ack_invite', { session_id: session.id });
    return session;
  };
  return { reviewer, participant, open, joined };
}

test('[MC5] reports old invites and new messages among many sessions', async () => {
  const { reviewer, open, joined } = scene;
  const [invite, talk] = [await open('discussion'), await joined('conversation')];
  for (let i = 0; i < 250; i++) await joined(i % 2 === 0 ? 'discussion' : 'conversation');
  const first = await look();
  expect(first).toMatchObject({ status: 'invited', session: invite.id });
  await talk.send('Still there?');
  const second = await look(first.cursor);
  expect(second).toMatchObject({ status: 'your_turn', session: talk.id, messages: [{ text: 'Still there?' }] });
  await reviewer.call('reject_invite', { session_id: invite.id });
  const third = await look(second.cursor);
  expect(third).toMatchObject({ status: 'closed', session: invite.id });
  const fourth = await look(third.cursor);
  expect(fourth).toMatchObject({ status: 'waiting' });
  expect(fourth.cursor.length).toBeLessThan(1_000);
  // Unchanged sessions are not checked again.
  asked = [];
  await talk.send('Hello?');
  expect(await look(fourth.cursor)).toMatchObject({ status: 'your_turn', session: talk.id });
  expect(asked.length).toBeLessThan(10);
});

test('[MC5] reports each of many invites, turns and messages once before repeating any', async () => {
  const { open, joined } = scene;
  const sessions = [];
  for (let i = 0; i < 25; i++) {
    const [turn, talk, invite] = [await joined('discussion'), await joined('conversation'), await open('discussion')];
    await turn.send('You?');
    await talk.send('Hello.');
    sessions.push(turn.id, talk.id, invite.id);
  }
  const told: (string | undefined)[] = [];
  let cursor: string | undefined;
  for (const _ of sessions) {
    const found = await look(cursor);
    told.push(found.session);
    cursor = found.cursor;
  }
  expect(told.sort()).toEqual(sessions.sort());
  expect((cursor ?? '').length).toBeLessThan(1_500);
});

test('[MC5] repeats an unanswered turn only after new invites, turns, messages and ends', async () => {
  const { open, joined } = scene;
  const [held, other] = [await joined('discussion'), await joined('discussion')];
  const [ending, talk] = [await joined('discussion'), await joined('conversation')];
  await held.send('You?');
  let cursor: string | undefined;
  const next = async (): Promise<string> => {
    const found = await look(cursor);
    cursor = found.cursor;
    return `${found.status} ${found.session}`;
  };
  expect(await next()).toBe(`your_turn ${held.id}`);
  expect(await next()).toBe(`your_turn ${held.id}`);
  const invite = await open('discussion');
  expect(await next()).toBe(`invited ${invite.id}`);
  expect(await next()).toBe(`your_turn ${held.id}`);
  await other.send('And you?');
  expect(await next()).toBe(`your_turn ${other.id}`);
  await talk.send('Hello.');
  expect(await next()).toBe(`your_turn ${talk.id}`);
  await ending.close('enough');
  expect(await next()).toBe(`closed ${ending.id}`);
  expect([`your_turn ${held.id}`, `your_turn ${other.id}`]).toContain(await next());
});

test('[MC5] repeats an unanswered invite only if there is nothing else', async () => {
  const { open, joined } = scene;
  const [first, talk] = [await open('discussion'), await joined('conversation')];
  let found = await look();
  expect(found).toMatchObject({ status: 'invited', session: first.id });
  found = await look(found.cursor);
  expect(found).toMatchObject({ status: 'invited', session: first.id });
  const second = await open('discussion');
  found = await look(found.cursor);
  expect(found).toMatchObject({ status: 'invited', session: second.id });
  await talk.send('Hello.');
  found = await look(found.cursor);
  expect(found).toMatchObject({ status: 'your_turn', session: talk.id });
});
