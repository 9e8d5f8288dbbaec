/** No message is missed, whatever lies between. */

import { expect, test } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import { HTTP, joining } from '../transports.ts';

const ways = joining();

async function talking(limits: object = {}) {
  const one = await HttpHub.open({}, { limits });
  const agent = await ways.join(one, 'reviewer', HTTP, '1s');
  await agent.value('sessions');
  const bob = await one.hub.agent('bob');
  const talk = await agent.joins(bob, 'conversation');
  const work = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const { task } = await agent.value('task_progress', { session: talk.id, title: `t${i}` });
      await agent.value('task_progress', { session: talk.id, task, state: 'done', result: 'x' });
    }
  };
  return { one, agent, talk, session: talk.id, work };
}

test('[MC5] reports the last message behind many other envelopes', async () => {
  const { agent, talk, session, work } = await talking();
  await agent.value('say', { session, text: 'begin', turn: 0 });
  await talk.send('one');
  await work(40);
  const found = await agent.value('wait_turn', { session });
  expect(found).toMatchObject({ status: 'your_turn', messages: [{ text: 'one' }] });
  await agent.value('say', { session, text: 'to one', turn: found.turn });
  await work(40);
  const { turn } = await agent.value('session_read', { session });
  expect(await agent.value('say', { session, text: 'and more', turn })).toMatchObject({ already_said: false });
  const { messages } = await agent.value('session_read', { session });
  expect(messages.map(({ text }: { text: string }) => text)).toEqual(['begin', 'one', 'to one', 'and more']);
});

test('[MC6] reports messages posted between a turn and its answer, even behind many other envelopes', async () => {
  const { agent, talk, session, work } = await talking();
  await talk.send('one');
  const first = await agent.value('wait_turn', { session });
  await talk.send('two');
  await work(40);
  const said = await agent.value('say', { session, text: 'to one', turn: first.turn });
  const second = await agent.value('wait_turn', { session, cursor: said.cursor });
  expect(second).toMatchObject({ status: 'your_turn', messages: [{ text: 'two' }] });
  expect(await agent.value('wait_turn', { session, cursor: second.cursor })).toMatchObject({ status: 'waiting' });
  await agent.value('say', { session, text: 'to two', turn: second.turn });
  expect(await agent.value('wait_turn', { session })).toMatchObject({ status: 'waiting' });
});

test('[MC11] refuses a cursor beyond the head and marks nothing as read', async () => {
  const { agent, talk, session } = await talking({ maxPending: 6 });
  const many = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await talk.send(`${i}`);
  };
  await expect(many()).rejects.toMatchObject({ code: 'inbox_full' });
  for (const tool of ['session_read', 'wait_turn']) {
    expect(await agent.refusal(tool, { session, cursor: '999999999' })).toMatch(
      /^cursor: expected one that an earlier/,
    );
  }
  await expect(talk.send('more')).rejects.toMatchObject({ code: 'inbox_full' });
  const { cursor } = await agent.value('session_read', { session });
  await talk.send('more');
  expect((await agent.value('session_read', { session, cursor })).messages).toMatchObject([{ text: 'more' }]);
});
