// The real claude and codex take turns over WebSocket through their agent functions, and end with their session.

import { connect } from 'parley-hub/client';
import { type JoinHandlers, joinHub, type Participant } from 'parley-hub/participants';
import { expect, it } from 'vitest';
import { type AdapterAgent, adapterAgent } from './adapter-agent.ts';
import { LINES, ROUNDS, spokenLines } from './lines.ts';
import { processesOf } from './processes-of.ts';
import { NAMES, type Name, speaking, tokenFor, until } from './speaking-hub.ts';

/** A CLI and its participant in the hub. */
interface Member extends AdapterAgent {
  readonly participant: Participant;
}

/** Deltas that alice received. */
let shown = '';
const members = new Map<Name, Member>();
const told: string[] = [];

const one = speaking({
  alice: {
    onMessage() {},
    onDelta: ({ text }) => {
      shown += text;
    },
  },
  join: async (name) => void members.set(name, await join(name)),
  async leave() {
    for (const { participant, tool } of members.values()) {
      await participant.close();
      await tool.close();
    }
  },
});

async function join(name: Name): Promise<Member> {
  const { line, model } = one;
  const token = await tokenFor(one, name);
  const agent = await adapterAgent(name, model.url);
  console.log(`${name}: ${(await agent.tool.version()).out.trim()}`);
  const handlers: JoinHandlers = {
    onReply: ({ text, usage }) => void told.push(`${name} said: ${text} ${JSON.stringify(usage)}`),
    onError: ({ message }) => void told.push(`${name} failed: ${message}`),
    onCancelled: (reason) => void told.push(`${name} cancelled: ${reason}`),
  };
  const participant = await joinHub((own) => connect(line.url, { ...own, token }), {
    name,
    agent: agent.agent,
    systemPrompt: `You are ${name}.`,
    handlers,
  });
  return { ...agent, participant };
}

function member(name: Name): Member {
  const found = members.get(name);
  if (found === undefined) throw new Error(`${name} has not joined`);
  return found;
}

/** Processes started by the members. */
function left(): readonly string[] {
  return [...members.values()].flatMap(({ tool }) => processesOf(tool.home));
}

it('lets both take turns in a round robin', async () => {
  const { line, model } = one;
  const { client } = member('claude').participant;
  const session = await client.open('discussion', { participants: ['codex'], knobs: { rounds: 2 } });
  const { reason } = await session.ended();
  const { out } = await line.run(['show', session.id, '--as', 'claude']);
  console.log([out, ...told.splice(0)].join('\n'));
  expect(reason).toBe('rounds_complete');
  expect(await spokenLines(client, session.id)).toEqual(ROUNDS);
  expect(left()).toEqual([]);
  // One request per turn, with the other's message and without what the CLI already knows.
  const prompts = model.questions.map(({ prompt }) => prompt);
  expect(model.questions.map(({ tool }) => tool)).toEqual(['claude', 'codex', 'claude', 'codex']);
  expect(prompts[1]).toContain(LINES.claude[0]);
  expect(prompts[2]).toContain(LINES.codex[0]);
  expect(prompts[2]).not.toContain(LINES.claude[0]);
  expect(prompts[3]).toContain(LINES.claude[1]);
  expect(prompts[3]).not.toContain(LINES.claude[0]);
});

it.each(NAMES)('ends %s when the session closes while its model answers', async (name) => {
  const { alice, model } = one;
  one.isHolding = true;
  const before = model.of(name).length;
  const session = await alice.open('discussion', { participants: [name], knobs: { rounds: 1 } });
  await session.send('Are you there?');
  await model.asked(name, before + 1);
  // claude streams deltas; codex sends complete messages.
  if (name === 'claude') await until(() => shown !== '');
  expect(left()).not.toEqual([]);
  await session.close('enough');
  await until(() => told.length > 0);
  expect(left()).toEqual([]);
  const saw = told.splice(0);
  console.log(saw.join('\n'));
  expect(saw).toEqual([expect.stringContaining(`${name} cancelled: `)]);
  expect(await spokenLines(alice, session.id)).toEqual(['alice: Are you there?']);
});
