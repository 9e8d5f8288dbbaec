// `parley join --cli claude` and `--cli codex` as processes, with the real CLIs.

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

/** Starts the command as a user does: in the working folder, with the CLI in PATH and its key in the environment. */
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

it('lets both take turns in a round robin', async () => {
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

it.each(NAMES)('ends %s and all its processes on Ctrl-C during a turn', async (name) => {
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
  // The guard ends once it notices that nothing runs.
  await until(() => processesOf(tool.home).length === 0);
});
