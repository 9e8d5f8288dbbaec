/** Every tool over every transport, as a model uses it. */

import { consulting } from 'parley-hub/adapters/consulting';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../../src/mcp/tools/table.ts';
import { HttpHub } from '../../server/http/http-hub.ts';
import type { Agent } from '../agent.ts';
import { HTTP, joining, WAYS } from '../transports.ts';

const ways = joining();

describe.each(WAYS)('over $over, revision $revision', (way) => {
  const here = ways.shared(way);

  test('[MC1, MC10] offers the same documented tools, prompts and resources everywhere', async () => {
    const { agent } = here;
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { name, description = '', inputSchema, outputSchema, annotations } of tools) {
      expect(description.length, name).toBeGreaterThan(100);
      expect(description.length, name).toBeLessThan(1000);
      expect(inputSchema.type).toBe('object');
      expect(outputSchema?.properties, name).toHaveProperty('next');
      expect(annotations, name).toMatchObject({ idempotentHint: true, openWorldHint: false });
    }
    const { prompts } = await agent.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['join_discussion', 'consult_expert']);
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('parley://session/{session}');
    expect(agent.client.getInstructions()).toContain('call wait_turn');
    for (const [name, args, text] of [
      ['join_discussion', { session: 's1', brief: 'be brief' }, /session s1.*accept_invite.*be brief/s],
      ['join_discussion', {}, /invited to.*call sessions and continue with the newest/s],
      ['consult_expert', { question: 'why?', expert: 'bob' }, /Ask bob.*session_open.*why\?/s],
    ] as const) {
      expect(textOf(await agent.client.getPrompt({ name, arguments: args }))).toMatch(text);
    }
    await expect(agent.client.getPrompt({ name: 'consult_expert', arguments: {} })).rejects.toThrow(/question/);
  });

  test('[MC1] lets an agent accept an invite, post in its turn, and learn of the end', async () => {
    const { one, agent } = here;
    const bob = await one.hub.agent('bob');
    expect((await agent.value('sessions')).sessions).toEqual([]);
    const session = await bob.open('discussion', { participants: ['reviewer'], intent: 'the plan', wait: 'created' });
    const invited = await agent.turn();
    expect(invited).toMatchObject({ status: 'invited', session: session.id, from: 'bob', topic: 'the plan' });
    expect(await agent.value('accept_invite', { session: session.id })).toMatchObject({ state: 'ACTIVE' });
    await session.send('What do you think?');
    const mine = await agent.turn({ cursor: invited.cursor });
    expect(mine).toMatchObject({ status: 'your_turn', session: session.id, more: false, call_again: false });
    expect(mine.messages).toEqual([{ seq: mine.turn, from: 'bob', text: 'What do you think?' }]);
    const said = await agent.value('say', { session: session.id, text: 'It holds.', turn: mine.turn });
    expect(said).toMatchObject({ already_said: false, expected: 'bob', your_turn: false, state: 'ACTIVE' });
    const read = await agent.value('session_read', { session: session.id });
    expect(read.messages.map(({ from, text, own }: never) => [from, text, own])).toEqual([
      ['bob', 'What do you think?', undefined],
      ['reviewer', 'It holds.', true],
    ]);
    expect(read).toMatchObject({ more: false, expected: 'bob', your_turn: false });
    expect((await agent.value('sessions')).sessions).toMatchObject([{ session: session.id, topic: 'the plan' }]);
    await session.close('that was all');
    const closed = await agent.turn({ cursor: mine.cursor });
    expect(closed).toMatchObject({ status: 'closed', session: session.id, reason: 'that was all' });
  });

  test('[MC7] opens a session with a found peer once, even if called repeatedly, and closes it', async () => {
    const { one, agent } = here;
    const bob = await one.hub.agent('bob', { onInvite: () => true, onMessage: () => {} });
    await bob.setResume({ claimedCapabilities: ['security'] });
    const found = await agent.value('peers', { capability: 'security' });
    expect(found.peers).toMatchObject([{ name: 'bob', connected: true, capabilities: ['security'] }]);
    const wanted = { type: 'conversation', participants: ['capability:security'], topic: 'a leak' };
    const opened = await agent.value('session_open', wanted);
    expect(opened.already_open).toBe(false);
    expect(await agent.value('session_open', wanted)).toMatchObject({ session: opened.session, already_open: true });
    const { session } = opened;
    const begins = await agent.turn({ session });
    expect(begins).toMatchObject({ status: 'your_turn', messages: [] });
    await agent.value('say', { session, text: 'Is it safe?', turn: begins.turn });
    expect(await agent.value('close', { session, reason: 'done' })).toMatchObject({ session });
    await agent.value('close', { session, reason: 'done' });
    expect(await agent.turn({ session })).toMatchObject({ status: 'closed', reason: 'done' });
    await bob.session(session).ended();
    const again = await agent.value('session_open', wanted);
    expect(again).toMatchObject({ already_open: false });
    expect(again.session).not.toBe(session);
  });

  test('[MC7] declines and leaves idempotently', async () => {
    const { one, agent } = here;
    await agent.value('sessions');
    const bob = await one.hub.agent('bob');
    const others = await one.hub.agent('carol');
    const first = await bob.open('discussion', { participants: ['reviewer', 'carol'], wait: 'created' });
    for (const _ of [1, 2]) await agent.value('decline_invite', { session: first.id, reason: 'no time' });
    const second = await others.open('discussion', { participants: ['bob', 'reviewer'], wait: 'created' });
    for (const _ of [1, 2]) await agent.value('accept_invite', { session: second.id });
    for (const _ of [1, 2]) await agent.value('leave', { session: second.id });
    expect(await statusOf(bob, first.id)).toBe('rejected');
    expect(await statusOf(bob, second.id)).toBe('removed');
    expect(await agent.value('wait_turn', { session: second.id })).toMatchObject({ status: 'closed' });
  });

  test('[MC1] lets an agent moderate: hand off its turn, get it back, and finish', async () => {
    const { one, agent } = here;
    await one.hub.agent('bob', { onTurn: (_, session) => session.send('I am for it.') });
    const wanted = { type: 'discussion', participants: ['bob'], knobs: { ordering: 'moderated' } };
    const { session } = await agent.value('session_open', wanted);
    const mine = await agent.turn({ session });
    const handed = await agent.value('handoff', { session, to: 'bob', text: 'Your view?', turn: mine.turn });
    expect(handed).toMatchObject({ already_said: false });
    const back = await agent.turn({ session });
    expect(back.messages).toMatchObject([{ from: 'bob', text: 'I am for it.' }]);
    const ended = await agent.value('finish', { session, text: 'Agreed.', reason: 'agreed', turn: back.turn });
    expect(ended.next).toContain('agreed');
    expect(await agent.turn({ session })).toMatchObject({ status: 'closed', reason: 'agreed' });
  });

  test('[MC7] delegates a question once, even if called repeatedly', async () => {
    const { one, agent } = here;
    let asked = 0;
    await one.hub.agent('expert', {
      onTurn: (_, session) => {
        asked += 1;
        return session.send('42');
      },
    });
    const session = await inSession(one, agent);
    const wanted = { session, to: 'expert', question: 'How much?' };
    const answer = await agent.value('delegate', wanted);
    expect(answer).toMatchObject({ status: 'answered', answer: '42', outcome: 'replied', call_again: false });
    expect(await agent.value('delegate', wanted)).toEqual(answer);
    expect(asked).toBe(1);
    const { turn } = await agent.turn();
    // In a later turn it is a new question.
    await agent.value('say', { session, text: 'So much.', turn });
    const bob = await one.hub.agent('bob', { onMessage: () => {} });
    await bob.session(session).send('And now?');
    expect(await agent.turn({ session })).toMatchObject({ status: 'your_turn', session });
    await agent.value('delegate', wanted);
    expect(asked).toBe(2);
  });

  test('[MC7] reports progress of its turn, and of a task from start to end', async () => {
    const { one, agent } = here;
    const session = await inSession(one, agent);
    const noted = await agent.value('task_progress', { session, note: 'reading' });
    expect(noted).toMatchObject({ task: null, logged: true });
    const begun = await agent.value('task_progress', { session, title: 'Review' });
    const { task } = begun;
    expect(await agent.value('task_progress', { session, title: 'Review' })).toMatchObject({ task });
    const further = await agent.value('task_progress', { session, task, progress: 0.5, note: 'half' });
    expect(further).toMatchObject({ task, cancel_requested: null });
    const done = { session, task, state: 'done', result: 'all fine' };
    for (const _ of [1, 2]) expect(await agent.value('task_progress', done)).toMatchObject({ task, state: 'done' });
  });
});

test('[MC7] gives the default time to answer a consulting, and more to accept it', async () => {
  const one = await HttpHub.open();
  const agent = await ways.join(one, 'reviewer', HTTP);
  const bob = await one.hub.agent('bob', { onInvite: () => new Promise(() => {}) });
  const { session } = await agent.value('session_open', { type: 'consulting', participants: ['bob'] });
  const { manifest } = (await bob.call('get_session', { session_id: session })).session;
  const usual = consulting.manifest.expectations.find(({ name }) => name === 'reply_within');
  expect(manifest.expectations).toContainEqual(usual);
  expect(manifest.expectations.find(({ name }) => name === 'acks_within')?.params).toEqual({ seconds: 600 });
});

/** A discussion in which the agent holds the turn. */
async function inSession(one: HttpHub, agent: Agent): Promise<string> {
  await agent.value('sessions');
  await one.hub.agent('bob');
  const { session } = await agent.value('session_open', { type: 'discussion', participants: ['bob'] });
  expect(await agent.turn({ session })).toMatchObject({ status: 'your_turn' });
  return session;
}

async function statusOf(bob: { name: string; call: CallableFunction }, session_id: string): Promise<string> {
  const { session } = await bob.call('get_session', { session_id });
  return session.participants.find(({ name }: { name: string }) => name === 'reviewer').status;
}

function textOf({ messages }: { messages: readonly { content: { type: string; text?: string } }[] }): string {
  return messages.map(({ content }) => content.text ?? '').join('\n');
}
