/** What `parley join` runs for its turns: a CLI it knows, any command, or a script. */

import { resolve } from 'node:path';
import type { AgentFn } from '../../participants/agent-fn.ts';
import type { CliName } from '../clis/adapters.ts';
import type { Asked } from './command.ts';
import { requireProgram } from './find-program.ts';
import { refuseIdle } from './idle-options.ts';
import { loadScript } from './load-script.ts';
import type { RoleFile } from './role-file.ts';
import { runOptionsOf } from './run-options.ts';
import { splitWords } from './split-words.ts';
import { Trouble, wrongValue } from './trouble.ts';

export interface ChosenAgent {
  readonly agent: AgentFn;
  /** Who it is if nobody says. */
  readonly name: string;
  /** For its passport. */
  readonly provider: string;
}

/** As `--cli` takes them. */
export const CLI_NAMES: readonly CliName[] = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'cursor-agent',
  'hermes',
  'aider',
  'goose',
];

const WAYS = ['cli', 'command', 'script'] as const;

/** null = nothing is asked to take turns: a person does. */
export async function chosenAgent(asked: Asked, role: RoleFile, env: NodeJS.ProcessEnv): Promise<ChosenAgent | null> {
  const { values } = asked;
  const given = WAYS.filter((way) => values[way] !== undefined);
  if (given.length > 1) throw tooMany(given);
  refuseIdle(given[0] ?? (role.cli === undefined ? 'person' : 'cli'), asked, role);
  if (values.script !== undefined) {
    return { agent: await loadScript(values.script), name: nameOfFile(values.script), provider: 'script' };
  }
  if (values.command !== undefined) return byCommand(values.command, asked, role, env);
  const cli = values.cli ?? role.cli;
  return cli === undefined ? null : byName(cli, asked, role, env);
}

async function byName(cli: string, asked: Asked, role: RoleFile, env: NodeJS.ProcessEnv): Promise<ChosenAgent> {
  const name = CLI_NAMES.find((one) => one === cli);
  if (name === undefined) throw wrongValue('cli', `one of ${CLI_NAMES.join(', ')}`, cli, 'Any other: "--command".');
  await requireProgram(name, env.PATH);
  const { cliFactories } = await import('../clis/adapters.ts');
  const model = modelOf(asked, role);
  const { permissions } = asked.values;
  const agent = cliFactories[name]({
    ...(await runOptionsOf(asked, env)),
    ...(model === undefined ? {} : { model }),
    // The table of options has the values there are.
    ...(permissions === undefined ? {} : { permissions: permissions as 'safe' }),
  });
  return { agent, name, provider: name };
}

async function byCommand(line: string, asked: Asked, role: RoleFile, env: NodeJS.ProcessEnv): Promise<ChosenAgent> {
  const [command = '', ...args] = splitWords(line, '--command');
  await requireProgram(command, env.PATH);
  const running = await runOptionsOf(asked, env);
  const { createCliAdapter } = await import('../clis/adapters.ts');
  const model = modelOf(asked, role);
  const { transport, output } = asked.values;
  const agent = createCliAdapter({
    ...running,
    // A path is meant from where it was typed, wherever the program then runs.
    command: command.includes('/') ? resolve(command) : command,
    args,
    ...(model === undefined ? {} : { model }),
    // The table of options has the values there are.
    ...(transport === undefined ? {} : { transport: transport as 'stdin' }),
    ...(output === undefined ? {} : { output: output as 'text' }),
  });
  return { agent, name: nameOfFile(command), provider: 'command' };
}

/** It becomes an argument: one that reads like an option is refused by every adapter. */
function modelOf({ values }: Asked, role: RoleFile): string | undefined {
  const model = values.model ?? role.model;
  if (model === undefined || /^\s*[^\s-]/.test(model)) return model;
  const where = values.model === undefined ? 'model of the role' : '--model';
  throw wrongValue(where, 'the name of a model, which does not begin with -', model);
}

/** `./agents/Reviewer.mjs` → `reviewer`. */
function nameOfFile(path: string): string {
  const [base = ''] = (path.split(/[\\/]/).at(-1) ?? '').split('.');
  const name = base
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 32);
  return name === '' || name === 'hub' ? 'agent' : name;
}

function tooMany(given: readonly string[]): Trouble {
  const ways = given.map((way) => `--${way}`).join(' and ');
  return new Trouble('wrong', 'wrong_option', `${ways} exclude each other`, 'One participant is run by one of them.');
}
