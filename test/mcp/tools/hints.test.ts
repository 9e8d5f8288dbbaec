/** Hints name possible next steps in the words of the tools. */

import { expect, onTestFinished, test } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import { Agent } from '../agent.ts';

async function join(one: HttpHub, name: string, maxWait = '1s'): Promise<Agent> {
  const { token } = await one.hub.createToken({ name });
  const agent = await Agent.overHttp(one.port, token, { maxWait });
  onTestFinished(() => agent.close());
  await agent.value('sessions');
  return agent;
}

async function party() {
  const one = await HttpHub.open();
  return { one, agent: await join(one, 'reviewer'), bob: await one.hub.agent('bob') };
}

test('[MC9] tells an invitee to accept, whichever tool it calls', async () => {
  const { one, agent, bob } = await party();
  await one.hub.agent('carol', { onInvite: () => new Promise(() => {}) });
  const { id: session } = await bob.open('discussion', { participants: ['reviewer', 'carol'], wait: 'created' });
  expect((await agent.value('sessions')).sessions).toMatchObject([
    { session, invited: true, from: 'bob', participants: ['bob', 'reviewer', 'carol'], expected: null },
  ]);
  expect(await agent.refusal('say', { session, text: 'hi', turn: 0 })).toContain('Call accept_invite');
  expect(await agent.refusal('say', { session, text: 'hi', turn: 1 })).toContain('Call accept_invite');
  expect(await agent.refusal('session_read', { session })).toContain('Call accept_invite');
  const uri = `parley://session/${session}`;
  await expect(agent.client.readResource({ uri })).rejects.toThrow(/Call accept_invite/);
});

test('[MC9] names the invitees and the session that an early acceptance waits for', async () => {
  const { one, agent, bob } = await party();
  await one.hub.agent('carol', { onInvite: () => new Promise(() => {}) });
  const { id: session } = await bob.open('discussion', { participants: ['reviewer', 'carol'], wait: 'created' });
  expect((await agent.value('accept_invite', { session })).next).toContain('accepted: carol.');
  expect((await agent.value('sessions')).sessions).toMatchObject([{ session, invited: false }]);
  expect((await agent.value('wait_turn')).reason).toBe(`discussion ${session}: not all have accepted yet: carol`);
});

test('[MC9] tells the creator who declined, and why', async () => {
  const one = await HttpHub.open();
  const [opener, agent] = [await join(one, 'opener'), await join(one, 'reviewer')];
  const { session } = await opener.value('session_open', { type: 'discussion', participants: ['reviewer'] });
  await agent.value('decline_invite', { session, reason: 'no time' });
  const reason = 'invite_rejected; reviewer declined: no time';
  expect(await opener.turn({ session })).toMatchObject({ status: 'closed', reason });
});

test('[MC9] does not suggest waiting for an ended session, and points to its last answer', async () => {
  const one = await HttpHub.open();
  const agent = await join(one, 'reviewer');
  await one.hub.agent('expert', { onTurn: (_, session) => session.send('42') });
  const { session } = await agent.value('session_open', { type: 'consulting', participants: ['expert'] });
  const { turn } = await agent.turn({ session });
  await agent.value('say', { session, text: 'How much?', turn });
  const closed = await agent.turn({ session });
  expect(closed).toMatchObject({ status: 'closed' });
  expect(closed.next).toContain('call session_read');
  const read = await agent.value('session_read', { session });
  expect(read.messages.at(-1)).toMatchObject({ text: '42' });
  expect(read.next).not.toContain('wait_turn');
});

test('[MC9] does not suggest waiting after leaving, or keeping a turn that nobody holds', async () => {
  const { one, agent, bob } = await party();
  await one.hub.agent('carol');
  const talk = await agent.joins(bob, 'conversation');
  expect(await agent.refusal('task_progress', { session: talk.id, note: 'at it' })).toContain('title');
  const three = await bob.open('discussion', { participants: ['reviewer', 'carol'], wait: 'created' });
  await agent.value('accept_invite', { session: three.id });
  await agent.value('leave', { session: three.id });
  expect((await agent.value('session_read', { session: three.id })).next).not.toContain('wait_turn');
});

test('[MC9] names tool arguments and alternatives in refusals', async () => {
  const one = await HttpHub.open();
  const agent = await join(one, 'reviewer');
  await one.hub.agent('bob');
  const { session } = await agent.value('session_open', { type: 'discussion', participants: ['bob'] });
  const { turn } = await agent.turn({ session });
  const refusals = [
    await agent.refusal('handoff', { session, to: 'bob', turn }),
    await agent.refusal('finish', { session, turn }),
    await agent.refusal('session_read', { session: 'no id' }),
    await agent.refusal('task_progress', { session, task: 'no id' }),
    await agent.refusal('task_progress', { session, task: '0'.repeat(32) }),
    await agent.refusal('delegate', { session, to: 'not a name', question: 'who?' }),
    await agent.refusal('session_open', { type: 'discussion', participants: ['not a name'] }),
    await agent.refusal('sessions', { cursor: 'bogus' }),
    await agent.refusal('peers', { cursor: '!' }),
  ];
  for (const refusal of refusals) expect(refusal).not.toMatch(/params\.|msg\.|routing\.|read_log|session_id/);
  expect(refusals[0]).toContain('Use say instead');
});

test('[MC9] lists only real peers, reports an empty list, and hints at the next page', async () => {
  const one = await HttpHub.open();
  const agent = await join(one, 'reviewer');
  await one.hub.agent('cli.somebody');
  const all = await agent.value('peers');
  expect(all.peers.map(({ name }: { name: string }) => name)).toEqual(['reviewer']);
  expect(all.next).toContain('No match');
  const bob = await one.hub.agent('bob');
  expect((await agent.value('peers')).next).toContain('session_open');
  for (let i = 0; i < 21; i++) await bob.open('conversation', { participants: ['reviewer'], wait: 'created' });
  expect((await agent.value('sessions')).next).toContain('again with this cursor');
});

test('[MC1] tells the model the actual maximum wait', async () => {
  const one = await HttpHub.open();
  const agent = await join(one, 'reviewer', '10m');
  const { tools } = await agent.client.listTools();
  expect(tools.find(({ name }) => name === 'wait_turn')?.description).toContain('within 600 seconds');
  expect(agent.client.getInstructions()).toContain('within 600 seconds');
});
