/** Transcripts as resources, invalid cursors, and ended sessions. */

import { connect } from 'parley-hub/client';
import { expect, test } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import { Agent } from '../agent.ts';
import { joining } from '../transports.ts';

const ways = joining();
const uriOf = (session: string): string => `parley://session/${session}`;

async function talking() {
  const { one, agent, bob } = await ways.party('1s');
  const talk = await agent.joins(bob, 'conversation');
  return { one, agent, bob, talk, session: talk.id };
}

test('[MC10] does not list a session before its invite is accepted', async () => {
  const { agent, bob, session } = await talking();
  const other = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
  const listed = async (): Promise<readonly string[]> =>
    (await agent.client.listResources()).resources.map(({ uri }) => uri);
  expect(await listed()).toEqual([uriOf(session)]);
  await agent.value('accept_invite', { session: other.id });
  expect(await listed()).toEqual([uriOf(other.id), uriOf(session)]);
});

test('[MC10] lists the newest readable sessions among many invites', async () => {
  const { agent, bob, session } = await talking();
  for (let i = 0; i < 55; i++) await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
  expect((await agent.client.listResources()).resources.map(({ uri }) => uri)).toEqual([uriOf(session)]);
});

test('[MC10] answers not found for invalid sessions and invalid params for invalid cursors', async () => {
  const { agent, session } = await talking();
  const codeOf = (uri: string): Promise<unknown> =>
    agent.client.readResource({ uri }).then(
      () => null,
      (error: { code?: unknown }) => error.code,
    );
  const missing = await codeOf(uriOf('0'.repeat(32)));
  expect(missing).not.toBe(-32603);
  expect(await codeOf(uriOf('no-id'))).toBe(missing);
  expect(await codeOf(`${uriOf(session)}/from/bogus`)).toBe(-32602);
  expect(await codeOf(`${uriOf(session)}/from/99999`)).toBe(-32602);
});

test('[MC9] refuses a cursor beyond the end of a line', async () => {
  const { agent, talk, session } = await talking();
  const { cursor } = await agent.value('session_read', { session });
  await talk.send('0123456789');
  const [{ seq }] = (await agent.value('session_read', { session, cursor })).messages;
  const middle = await agent.value('session_read', { session, cursor: `${seq - 1}:4` });
  expect(middle).toMatchObject({ messages: [{ text: '456789', part: true }] });
  for (const chars of [10, 99_999]) {
    const refusal = await agent.refusal('session_read', { session, cursor: `${seq - 1}:${chars}` });
    expect(refusal).toMatch(/^cursor: expected one that an earlier call returned.*Omit it/);
  }
  // No line follows that could have been read in part.
  expect(await agent.refusal('session_read', { session, cursor: `${seq}:1` })).toMatch(/^cursor: /);
});

test('[MC9] shows the topic of a delegated question', async () => {
  const { one, agent, bob } = await talking();
  await one.hub.agent('carol');
  const discussion = await bob.open('discussion', { participants: ['carol'] });
  const question = { target: 'reviewer', prompt: 'How much?', wait: 'opened' } as const;
  await bob.call('delegate', { session_id: discussion.id, ...question });
  const topic = 'a question from bob';
  expect(await agent.turn()).toMatchObject({ status: 'invited', from: 'bob', type: 'consulting', topic });
  expect((await agent.value('sessions')).sessions[0]).toMatchObject({ invited: true, topic });
});

test('[MC5] reports every end, even if many sessions end between two calls', async () => {
  const { agent, bob } = await talking();
  let { cursor } = await agent.value('wait_turn');
  const ended: string[] = [];
  for (let i = 0; i < 55; i++) {
    const session = await bob.open('discussion', { participants: ['reviewer'], wait: 'created' });
    await session.close('enough');
    ended.push(session.id);
  }
  const told: string[] = [];
  for (const _ of ended) {
    const found = await agent.value('wait_turn', { cursor });
    expect(found.status).toBe('closed');
    told.push(found.session);
    cursor = found.cursor;
  }
  expect(told.sort()).toEqual(ended.sort());
  await agent.waits({ cursor });
});

test('[MC11] does not ack what a page cut off: a later connection still receives it', async () => {
  const one = await HttpHub.open();
  const token = await one.member('reviewer');
  const agent = await Agent.overHttp(one.port, token);
  const bob = await one.hub.agent('bob');
  const talk = await agent.joins(bob, 'conversation');
  for (const letter of ['a', 'b', 'c']) await talk.send(letter.repeat(15_000));
  const { more, messages } = await agent.value('session_read', { session: talk.id });
  expect({ more, shown: messages.length }).toEqual({ more: true, shown: 1 });
  await agent.close();
  const sent: string[] = [];
  const all = new Promise<void>((resolve) => {
    const onMessage = ({ text }: { text: string | null }): void => {
      sent.push(String(text).slice(0, 1));
      if (sent.at(-1) === 'd') resolve();
    };
    void connect(one.url, { name: 'reviewer', token, onMessage }).then(() => talk.send('d'));
  });
  await all;
  expect(sent).toEqual(['b', 'c', 'd']);
});
