// `parley join --cli claude` and `--cli codex`, as the processes they are, with the real tools behind them.

import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { type AgentClient, connect } from 'parley-hub/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CommandLine, Joined, linesOf } from '../cli/command-line.ts';
import { operatorToken } from '../wire/up-process.ts';
import { CLI_FOLDER, installed } from './installed-clis.ts';
import { nextLine, ROUNDS, spokenLines } from './lines.ts';
import { processesOf } from './processes-of.ts';
import { PATH, RealAgent } from './real-agent.ts';
import { SpeakingModel } from './speaking-model.ts';

const NAMES = ['claude', 'codex'] as const;

let line: CommandLine;
let model: SpeakingModel;
let alice: AgentClient;
let isHolding = false;
const tools: RealAgent[] = [];
const joined: Joined[] = [];

beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  model = await SpeakingModel.start((question) => ({ ...nextLine(question), hold: isHolding }));
  alice = await connect(line.url, {
    name: 'alice',
    token: await operatorToken(line.data),
    onTurn: async (_, session) => void (await session.send('What do you think?')),
  });
  for (const name of NAMES) joined.push(await join(name));
});

afterEach(() => {
  isHolding = false;
});
afterAll(async () => {
  console.log(`the model was asked:\n${model?.summary()}`);
  for (const { child, ended } of joined) {
    child.kill('SIGKILL');
    await ended;
  }
  alice?.close();
  await model?.close();
  await line?.close();
  for (const tool of tools) await tool.close();
});

/** As its user starts it: in the folder it is to work in, with the tool in PATH and its key in the environment. */
async function join(name: (typeof NAMES)[number]): Promise<Joined> {
  const tool = await RealAgent.open(name, model.url);
  tools.push(tool);
  const [made] = await line.json('token', 'create', '--name', name);
  const env = {
    ...tool.recipe.env,
    HOME: tool.home,
    PATH: [dirname(await installed(name)), PATH].join(delimiter),
    PARLEY_URL: line.url,
    PARLEY_TOKEN: String(made?.token),
  };
  const words = ['join', '--cli', name, '--model', tool.recipe.model, '--json'];
  const one = new Joined(
    spawn(process.execPath, [line.command.path, ...words], { cwd: tool.workspace, env, stdio: 'pipe' }),
  );
  await one.says('"joined"');
  return one;
}

/** The test's time limit is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resume) => setTimeout(resume, 10));
}

it('both take their turns in a round robin', async () => {
  const session = await alice.open('discussion', { participants: [...NAMES], knobs: { rounds: 2 } });
  const { reason } = await session.ended();
  const { code, out } = await line.run(['show', session.id, '--as', 'alice']);
  console.log(out);
  expect({ code, reason }).toEqual({ code: 0, reason: 'rounds_complete' });
  const spoken = await spokenLines(alice, session.id);
  expect(spoken.filter((one) => !one.startsWith('alice: '))).toEqual(ROUNDS);
  expect(model.questions.map(({ tool }) => tool)).toEqual(['claude', 'codex', 'claude', 'codex']);
});

it.each(NAMES)('Ctrl-C ends %s in the midst of a turn, and nothing is left', async (name) => {
  isHolding = true;
  const at = NAMES.indexOf(name);
  const [tool, one] = [tools[at], joined[at]];
  if (tool === undefined || one === undefined) throw new Error(`${name} has not joined`);
  const before = model.of(name).length;
  await alice.open('discussion', { participants: [name], knobs: { rounds: 1 } });
  await model.asked(name, before + 1);
  expect(processesOf(tool.home).filter((words) => words.includes(CLI_FOLDER))).not.toEqual([]);
  one.child.kill('SIGINT');
  expect(await one.ended).toBe(0);
  const events = linesOf(one.out).map(({ event }) => event);
  console.log(`${name}: ${events.filter((event) => event !== 'progress').join(', ')}`);
  expect(events).toContain('cancelled');
  expect(events.at(-1)).toBe('left');
  // Its guard ends when it has noticed that nothing runs any more.
  await until(() => processesOf(tool.home).length === 0);
});
