// A real claude and a real codex in one discussion, through MCP: set up by the command, driven by models on this machine.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { connect } from '../../src/client/node.ts';
import { operatorToken } from '../server/up-process.ts';
import { CommandLine, linesOf } from '../support/command-line.ts';
import { talker } from './brain.ts';
import { RealAgent } from './real-agent.ts';
import { StubModel } from './stub-model.ts';

const LINES = {
  alice: ['When do we release?', 'And who writes the notes?'],
  claude: ['On Thursday, when the tests are green.', 'I write them.'],
  codex: ['Thursday is fine. The tests were green today.', 'Then I read them over.'],
} as const;

let line: CommandLine;
let model: StubModel;
let alice: AgentClient;
const agents: RealAgent[] = [];

beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  model = await StubModel.start({ claude: talker('claude', LINES.claude), codex: talker('codex', LINES.codex) });
  for (const name of ['claude', 'codex'] as const) {
    const agent = await RealAgent.open(name, model.url);
    agents.push(agent);
    console.log(`${name}: ${(await agent.version()).out.trim()}`);
    console.log(await agent.setUp(line));
  }
});

afterAll(async () => {
  alice?.close();
  await model?.close();
  await line?.close();
  for (const agent of agents) await agent.close();
});

it('both join through MCP and take their turns', async () => {
  let said = 0;
  alice = await connect(line.url, {
    name: 'alice',
    token: await operatorToken(line.data),
    onTurn: async (_, session) => {
      await session.send(LINES.alice[said] ?? '');
      said += 1;
    },
  });
  const runs = agents.map((agent) => agent.takePart());
  // Whoever is invited has to be known: they are when their servers run.
  for (const { name } of agents) await known(name);
  const session = await alice.open('discussion', { participants: ['claude', 'codex'], knobs: { rounds: 2 } });
  const { reason } = await session.ended();
  const ended = await Promise.all(runs);
  const { code, out } = await line.run(['show', session.id, '--as', 'alice']);
  console.log(out);
  const failed = ended.filter((one) => one.code !== 0);
  expect(failed).toEqual([]);
  // An exit code proves little: each says itself that it got to the end, and codex what it called.
  const [claude, codex] = ended.map((one) => one.out);
  expect(JSON.parse(claude ?? '')).toMatchObject({
    is_error: false,
    permission_denials: [],
    result: 'claude: the discussion is over',
  });
  expect(codex).toContain('codex: the discussion is over');
  const calls = linesOf(codex ?? '').map(
    ({ item }) => item as { type?: string; tool?: string; status?: string } | undefined,
  );
  const spoken = calls.filter(
    (one) => one?.type === 'mcp_tool_call' && one.tool === 'say' && one.status === 'completed',
  );
  expect(spoken).toHaveLength(2);
  expect(code).toBe(0);
  expect(reason).toBe('rounds_complete');
  expect(await texts(session.id)).toEqual(
    [0, 1].flatMap((i) => (['alice', 'claude', 'codex'] as const).map((who) => `${who}: ${LINES[who][i]}`)),
  );
});

async function known(name: string): Promise<void> {
  for (;;) {
    for await (const agent of alice.findAgents({ text: name, bound: true })) if (agent.name === name) return;
    await new Promise((resume) => setTimeout(resume, 100));
  }
}

async function texts(sessionId: string): Promise<readonly string[]> {
  const { envelopes } = await alice.call('read_log', { session_id: sessionId });
  const { session } = await alice.call('get_session', { session_id: sessionId });
  const names = new Map(session.participants.map(({ agent_id, name }) => [agent_id, name]));
  return envelopes
    .filter(({ event_type }) => event_type === 'msg.text')
    .map(({ sender_id, event_data }) => `${names.get(sender_id)}: ${String(event_data.text)}`);
}
