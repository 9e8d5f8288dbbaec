// A real claude and a real codex take turns in a hub over WebSocket, each through its adapter, and are ended with their session.

import { type AgentClient, connect } from 'parley-hub/client';
import { type JoinHandlers, joinHub, type Participant } from 'parley-hub/participants';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CommandLine } from '../cli/command-line.ts';
import { operatorToken } from '../wire/up-process.ts';
import { type AdapterAgent, adapterAgent } from './adapter-agent.ts';
import { LINES, nextLine, ROUNDS, spokenLines } from './lines.ts';
import { processesOf } from './processes-of.ts';
import { SpeakingModel } from './speaking-model.ts';

const NAMES = ['claude', 'codex'] as const;
type Name = (typeof NAMES)[number];

/** One of them: the tool, and who it is in the hub. */
interface Member extends AdapterAgent {
  readonly participant: Participant;
}

let line: CommandLine;
let model: SpeakingModel;
let alice: AgentClient;
let isHolding = false;
/** What alice saw of what was still being written. */
let shown = '';
const members = new Map<Name, Member>();
const told: string[] = [];

beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  model = await SpeakingModel.start((question) => ({ ...nextLine(question), hold: isHolding }));
  alice = await connect(line.url, {
    name: 'alice',
    token: await operatorToken(line.data),
    onMessage() {},
    onDelta: ({ text }) => {
      shown += text;
    },
  });
  for (const name of NAMES) members.set(name, await join(name));
});

afterEach(() => {
  isHolding = false;
});
afterAll(async () => {
  console.log(`the model was asked:\n${model?.summary()}`);
  for (const { participant, tool } of members.values()) {
    await participant.close();
    await tool.close();
  }
  alice?.close();
  await model?.close();
  await line?.close();
});

async function join(name: Name): Promise<Member> {
  const [made] = await line.json('token', 'create', '--name', name);
  const one = await adapterAgent(name, model.url);
  console.log(`${name}: ${(await one.tool.version()).out.trim()}`);
  const handlers: JoinHandlers = {
    onReply: ({ text, usage }) => void told.push(`${name} said: ${text} ${JSON.stringify(usage)}`),
    onError: ({ message }) => void told.push(`${name} failed: ${message}`),
    onCancelled: (reason) => void told.push(`${name} cancelled: ${reason}`),
  };
  const participant = await joinHub((own) => connect(line.url, { ...own, token: String(made?.token) }), {
    name,
    agent: one.agent,
    systemPrompt: `You are ${name}.`,
    handlers,
  });
  return { ...one, participant };
}

function member(name: Name): Member {
  const found = members.get(name);
  if (found === undefined) throw new Error(`${name} has not joined`);
  return found;
}

/** Of all that they have started. */
function left(): readonly string[] {
  return [...members.values()].flatMap(({ tool }) => processesOf(tool.home));
}

/** The test's time limit is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resume) => setTimeout(resume, 10));
}

it('both take their turns in a round robin', async () => {
  const { client } = member('claude').participant;
  const session = await client.open('discussion', { participants: ['codex'], knobs: { rounds: 2 } });
  const { reason } = await session.ended();
  const { out } = await line.run(['show', session.id, '--as', 'claude']);
  console.log([out, ...told.splice(0)].join('\n'));
  expect(reason).toBe('rounds_complete');
  expect(await spokenLines(client, session.id)).toEqual(ROUNDS);
  expect(left()).toEqual([]);
  // One question for each turn: the other's words are in it, and what the tool knows is not told again.
  const prompts = model.questions.map(({ prompt }) => prompt);
  expect(model.questions.map(({ tool }) => tool)).toEqual(['claude', 'codex', 'claude', 'codex']);
  expect(prompts[1]).toContain(LINES.claude[0]);
  expect(prompts[2]).toContain(LINES.codex[0]);
  expect(prompts[2]).not.toContain(LINES.claude[0]);
  expect(prompts[3]).toContain(LINES.claude[1]);
  expect(prompts[3]).not.toContain(LINES.claude[0]);
});

it.each(NAMES)('%s is ended when the session is closed while its model speaks', async (name) => {
  isHolding = true;
  const before = model.of(name).length;
  const session = await alice.open('discussion', { participants: [name], knobs: { rounds: 1 } });
  await session.send('Are you there?');
  await model.asked(name, before + 1);
  // What claude writes is seen while it writes; codex says its messages whole.
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
