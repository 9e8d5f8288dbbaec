// `parley join --cli claude` and `--cli codex`, as the processes they are, with the real tools behind them.

import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { Joined, linesOf } from '../support/command-line.ts';
import { CLI_FOLDER, installed } from './installed-clis.ts';
import { ROUNDS, spokenLines } from './lines.ts';
import { processesOf } from './processes-of.ts';
import { PATH, RealAgent } from './real-agent.ts';
import { NAMES, type Name, speaking, tokenFor, until } from './speaking-hub.ts';

const tools: RealAgent[] = [];
const joined: Joined[] = [];

const one = speaking({
  alice: { onTurn: async (_, session) => void (await session.send('What do you think?')) },
  join: async (name) => void joined.push(await join(name)),
  async leave() {
    for (const { child, ended } of joined) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const tool of tools) await tool.close();
  },
});

/** As its user starts it: in the folder it is to work in, with the tool in PATH and its key in the environment. */
async function join(name: Name): Promise<Joined> {
  const { line, model } = one;
  const tool = await RealAgent.open(name, model.url);
  tools.push(tool);
  const env = {
    ...tool.recipe.env,
    HOME: tool.home,
    PATH: [dirname(await installed(name)), PATH].join(delimiter),
    PARLEY_URL: line.url,
    PARLEY_TOKEN: await tokenFor(one, name),
  };
  const words = ['join', '--cli', name, '--model', tool.recipe.model, '--json'];
  const started = new Joined(
    spawn(process.execPath, [line.command.path, ...words], { cwd: tool.workspace, env, stdio: 'pipe' }),
  );
  await started.says('"joined"');
  return started;
}

it('both take their turns in a round robin', async () => {
  const { alice, line, model } = one;
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
  const { alice, model } = one;
  one.isHolding = true;
  const at = NAMES.indexOf(name);
  const [tool, running] = [tools[at], joined[at]];
  if (tool === undefined || running === undefined) throw new Error(`${name} has not joined`);
  const before = model.of(name).length;
  await alice.open('discussion', { participants: [name], knobs: { rounds: 1 } });
  await model.asked(name, before + 1);
  expect(processesOf(tool.home).filter((words) => words.includes(CLI_FOLDER))).not.toEqual([]);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(0);
  const events = linesOf(running.out).map(({ event }) => event);
  console.log(`${name}: ${events.filter((event) => event !== 'progress').join(', ')}`);
  expect(events).toContain('cancelled');
  expect(events.at(-1)).toBe('left');
  // Its guard ends when it has noticed that nothing runs any more.
  await until(() => processesOf(tool.home).length === 0);
});
