/** `say` posts once, despite repeats and killed servers. */

import { describe, expect, test } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import { Agent } from '../agent.ts';
import { joining, WAYS } from '../transports.ts';

const ways = joining();

describe.each(WAYS)('over $over, revision $revision', (way) => {
  const here = ways.shared(way);

  test('[MC6] answers a repeated say like the first, and refuses another text for that turn with the first one', async () => {
    const { one, agent } = here;
    const { session, texts } = await asked(one, agent);
    const { turn } = await agent.turn({ session });
    const first = await agent.value('say', { session, text: 'I agree.', turn });
    expect(first.already_said).toBe(false);
    const again = await agent.value('say', { session, text: 'I agree.', turn });
    expect(again).toMatchObject({ seq: first.seq, already_said: true });
    const other = await agent.refusal('say', { session, text: 'I do not.', turn });
    expect(other).toContain(`seq ${first.seq}: "I agree."`);
    expect(other).toContain('wait_turn');
    expect(await texts()).toEqual(['What do you think?', 'I agree.']);
  });

  test('[MC6] posts several texts in a row once each, with a new turn for each', async () => {
    const { one, agent } = here;
    await one.hub.agent('bob');
    const wanted = { type: 'discussion', participants: ['bob'], knobs: { ordering: 'moderated' } };
    const { session } = await agent.value('session_open', wanted);
    for (const text of ['first', 'second', 'third']) {
      const { turn } = await agent.turn({ session });
      for (const _ of [1, 2]) await agent.value('say', { session, text, turn });
    }
    // session_read and say return the turn to continue with.
    const { turn } = await agent.value('session_read', { session });
    const fourth = await agent.value('say', { session, text: 'fourth', turn });
    await agent.value('say', { session, text: 'fifth', turn: fourth.turn });
    const { messages } = await agent.value('session_read', { session });
    expect(messages.map(({ text }: { text: string }) => text)).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
  });
});

describe.each([WAYS[0], WAYS[1]].flatMap((way) => way ?? []))('invalid turns, over $over', (way) => {
  const here = ways.shared(way);

  test('[MC6] posts nothing for an unknown or past turn', async () => {
    const { one, agent } = here;
    const { session, texts } = await asked(one, agent);
    const { turn } = await agent.turn({ session });
    for (const wrong of [turn + 1, turn - 1, 0, 5000, 5001]) {
      const refused = await agent.refusal('say', { session, text: 'I agree.', turn: wrong });
      expect(refused).toMatch(new RegExp(`^turn ${wrong} is not yours now.*call wait_turn`));
    }
    await agent.value('say', { session, text: 'I agree.', turn });
    expect(await agent.refusal('say', { session, text: 'More.', turn: 5000 })).toMatch(/^not your turn: bob/);
    expect(await texts()).toEqual(['What do you think?', 'I agree.']);
  });

  test('[MC6] posts nothing without a turn, and names where to get one', async () => {
    const { one, agent } = here;
    const { session, texts } = await asked(one, agent);
    for (const [name, args] of [
      ['say', { text: 'I agree.' }],
      ['handoff', { to: 'bob' }],
      ['finish', {}],
    ] as const) {
      expect(await agent.refusal(name, { session, ...args })).toMatch(/turn.*wait_turn.*session_read/s);
    }
    expect(await texts()).toEqual(['What do you think?']);
  });

  test('[MC6] posts nothing twice when the answer was lost, even after a reply', async () => {
    const { one, agent } = here;
    const { session, texts, bob } = await asked(one, agent);
    const { turn } = await agent.value('session_read', { session });
    expect((await agent.turn({ session })).turn).toBe(turn);
    const said = { session, text: 'I agree.', turn };
    const first = await agent.value('say', said);
    await bob.session(session).send('Do you?');
    expect(await agent.value('say', said)).toMatchObject({ seq: first.seq, already_said: true });
    expect(await texts()).toEqual(['What do you think?', 'I agree.', 'Do you?']);
  });

  test('[MC6] without turns, uses the read position as turn: equal when repeated, new after reading', async () => {
    const { one, agent } = here;
    const bob = await one.hub.agent('bob');
    const wanted = { type: 'conversation', participants: ['bob'] };
    const { session } = await agent.value('session_open', wanted);
    const begins = await agent.turn({ session });
    expect(await agent.value('session_open', wanted)).toMatchObject({ session, turn: begins.turn });
    const said = { session, text: 'Hello?', turn: begins.turn };
    const first = await agent.value('say', said);
    await bob.session(session).send('Yes?');
    expect(await agent.value('say', said)).toMatchObject({ seq: first.seq, already_said: true });
    const read = await agent.value('session_read', { session });
    expect(await agent.value('say', { ...said, turn: read.turn })).toMatchObject({ already_said: false });
    const { messages } = await agent.value('session_read', { session });
    expect(messages.map(({ text }: { text: string }) => text)).toEqual(['Hello?', 'Yes?', 'Hello?']);
  });

  test('[MC6] without turns, keeps a turn valid while others post, and reports their messages afterwards', async () => {
    const { one, agent } = here;
    const bob = await one.hub.agent('bob');
    const talk = await agent.joins(bob, 'conversation');
    const session = talk.id;
    await talk.send('one');
    const first = await agent.turn({ session });
    for (const wrong of [first.turn + 1, 5000]) await agent.refusal('say', { session, text: 'to one', turn: wrong });
    for (let i = 0; i < 60; i++) await talk.send(`meanwhile ${i}`);
    const said = await agent.value('say', { session, text: 'to one', turn: first.turn });
    const repeated = await agent.value('say', { session, text: 'to one', turn: first.turn });
    expect(repeated).toMatchObject({ already_said: true });
    const second = await agent.turn({ session, cursor: said.cursor });
    expect(second.messages).toHaveLength(60);
    expect(second.messages[0]).toMatchObject({ text: 'meanwhile 0' });
    await agent.value('say', { session, text: 'to all', turn: second.turn });
    await agent.refusal('say', { session, text: 'again', turn: second.turn - 1 });
    expect(await agent.waits({ session })).toBe('no new messages');
  });
});

describe.each(['2025', '2026'] as const)('killed with SIGKILL, revision %s', (revision) => {
  test('[MC6] posts once after a restart between wait_turn and say', async () => {
    const one = await HttpHub.open();
    const start = await starting(one, revision);
    const first = await start();
    const { session, texts } = await asked(one, first);
    const before = await first.turn();
    expect(before).toMatchObject({ status: 'your_turn', session });
    await kill(first);
    const second = await start();
    const after = await second.turn();
    expect(after).toMatchObject({ status: 'your_turn', session, turn: before.turn, messages: before.messages });
    await second.value('say', { session, text: 'I agree.', turn: after.turn });
    expect(await texts()).toEqual(['What do you think?', 'I agree.']);
    await second.close();
  });

  test('[MC6] posts once after a restart during say', async () => {
    const one = await HttpHub.open();
    const start = await starting(one, revision);
    const first = await start();
    const { session, texts } = await asked(one, first);
    const { turn } = await first.turn();
    // The answer never comes; the hub may or may not have accepted the post.
    const saying = first.call('say', { session, text: 'I agree.', turn }).catch(() => null);
    await kill(first);
    await saying;
    const second = await start();
    await second.value('say', { session, text: 'I agree.', turn });
    await second.value('say', { session, text: 'I agree.', turn });
    expect(await texts()).toEqual(['What do you think?', 'I agree.']);
    await second.close();
  });

  async function starting(one: HttpHub, which: '2025' | '2026'): Promise<() => Promise<Agent>> {
    const { token } = await one.hub.createToken({ name: 'reviewer' });
    const args = ['--name', 'reviewer', '--url', one.url, '--token', token];
    return () => Agent.overStdio(ways.script, args, { revision: which });
  }
});

/** bob has asked reviewer, who holds the turn. */
async function asked(one: HttpHub, agent: Agent) {
  await agent.value('sessions');
  const bob = await one.hub.agent('bob');
  const session = await agent.joins(bob);
  await session.send('What do you think?');
  const texts = async (): Promise<readonly unknown[]> => {
    const said = [];
    for await (const { event_type, event_data } of session.log()) {
      if (event_type === 'msg.text') said.push(event_data.text);
    }
    return said;
  };
  return { session: session.id, texts, bob };
}

async function kill(agent: Agent): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    agent.client.onclose = resolve;
  });
  process.kill(agent.pid ?? 0, 'SIGKILL');
  await gone;
}
