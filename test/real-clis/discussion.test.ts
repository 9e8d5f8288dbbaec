// The real claude and codex in one discussion through MCP, set up by the command, with local models.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { connect } from '../../src/client/node.ts';
import { operatorToken } from '../server/up-process.ts';
import { CommandLine, linesOf } from '../support/command-line.ts';
import { talker } from './brain.ts';
import { spokenLines } from './lines.ts';
import { RealAgent } from './real-agent.ts';
import { type StubModel, startStubModel } from './stub-model.ts';

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
  model = await startStubModel({ claude: talker('claude', LINES.claude), codex: talker('codex', LINES.codex) });
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

it('lets both join through MCP and take their turns', async () => {
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
  // Only registered agents can be invited; the servers register them.
  for (const { name } of agents) await known(name);
  const session = await alice.open('discussion', { participants: ['claude', 'codex'], knobs: { rounds: 2 } });
  const { reason } = await session.ended();
  const ended = await Promise.all(runs);
  const { code, out } = await line.run(['show', session.id, '--as', 'alice']);
  console.log(out);
  const failed = ended.filter((one) => one.code !== 0);
  expect(failed).toEqual([]);
  // Exit codes prove little: check that each reports the end, and which tools codex called.
  const [claude, codex] = ended.map((one) => one.out);
  const end = { is_error: false, permission_denials: [], result: 'claude: the discussion is over' };
  expect(JSON.parse(claude ?? '')).toMatchObject(end);
  expect(codex).toContain('codex: the discussion is over');
  const call = { type: 'mcp_tool_call', tool: 'say', status: 'completed' };
  const calls = linesOf(codex ?? '').map(({ item }) => item as Record<string, unknown> | undefined);
  const isCall = (item?: Record<string, unknown>) =>
    Object.entries(call).every(([key, value]) => item?.[key] === value);
  expect(calls.filter(isCall)).toHaveLength(2);
  expect(code).toBe(0);
  expect(reason).toBe('rounds_complete');
  expect(await spokenLines(alice, session.id)).toEqual(
    [0, 1].flatMap((i) => (['alice', 'claude', 'codex'] as const).map((who) => `${who}: ${LINES[who][i]}`)),
  );
});

async function known(name: string): Promise<void> {
  for (;;) {
    for await (const agent of alice.findAgents({ text: name, bound: true })) if (agent.name === name) return;
    await new Promise((resume) => setTimeout(resume, 100));
  }
}
