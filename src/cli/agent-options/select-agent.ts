/** What `parley join` asks for its turns: a CLI it knows, any command, a script, or a model. */

import { resolve } from 'node:path';
import type { AgentFn } from '../../participants/agent/agent-fn.ts';
import { CLI_NAMES } from '../../node/commands/cli-names.ts';
import type { Asked } from '../terminal/command.ts';
import { requireProgram } from './programs.ts';
import { wholeIn } from '../terminal/parse-values.ts';
import { refuseIdle } from '../../node/commands/idle-options.ts';
import { loadScript } from './load-script.ts';
import {
  agentOfModel,
  BASE_URL,
  keyVariable,
  MODEL_FORM,
  type ModelChoice,
  modelChoice,
  needsKey,
} from './model-choice.ts';
import type { RoleFile } from './role-file.ts';
import { runOptionsOf, timeoutIn } from '../../node/commands/run-options.ts';
import { splitWords } from '../../node/commands/split-words.ts';
import { Trouble, wrongValue } from '../terminal/command-error.ts';

export interface ChosenAgent {
  readonly agent: AgentFn;
  /** Who it is if nobody says. */
  readonly name: string;
  /** For its passport. */
  readonly provider: string;
  readonly model?: string | undefined;
}

const WAYS = ['cli', 'command', 'script'] as const;

/** null = nothing is asked to take turns: a person does. */
export async function chosenAgent(asked: Asked, role: RoleFile, env: NodeJS.ProcessEnv): Promise<ChosenAgent | null> {
  const { values } = asked;
  const given = WAYS.filter((way) => values[way] !== undefined);
  if (given.length > 1) throw tooMany(given);
  const model = values.model ?? role.model;
  const choice = given.length > 0 || role.cli !== undefined || model === undefined ? null : modelChoice(model);
  if (values.model !== undefined && given.length === 0 && role.cli === undefined && choice === null)
    throw noApi(values.model);
  refuseIdle(given[0] ?? (role.cli !== undefined ? 'cli' : choice !== null ? 'model' : 'person'), asked, role);
  if (choice !== null) return byModel(choice, asked, env);
  if (values.script !== undefined) {
    return { agent: await loadScript(values.script), name: nameOfFile(values.script), provider: 'script' };
  }
  if (values.command !== undefined) return byCommand(values.command, asked, role, env);
  const cli = values.cli ?? role.cli;
  return cli === undefined ? null : byName(cli, asked, role, env);
}

/** Its key comes from the environment: an argument is there for everybody on the machine to read. */
function byModel(choice: ModelChoice, { values }: Asked, env: NodeJS.ProcessEnv): ChosenAgent {
  const { 'base-url': address, 'max-tokens': most, timeout } = values;
  const baseUrl = address === undefined ? undefined : addressIn(address);
  const variable = values['key-env'] ?? keyVariable(choice);
  const apiKey = env[variable] || undefined;
  if (apiKey === undefined && (values['key-env'] !== undefined || needsKey(baseUrl))) throw noKey(variable);
  const agent = agentOfModel(choice, {
    baseUrl,
    apiKey,
    maxTokens: most === undefined ? undefined : wholeIn('--max-tokens', most, 1),
    timeoutMs: timeout === undefined ? undefined : timeoutIn(timeout),
  });
  return { agent, name: nameOfFile(choice.model), provider: choice.api, model: choice.model };
}

async function byName(cli: string, asked: Asked, role: RoleFile, env: NodeJS.ProcessEnv): Promise<ChosenAgent> {
  const name = CLI_NAMES.find((one) => one === cli);
  if (name === undefined) throw wrongValue('cli', `one of ${CLI_NAMES.join(', ')}`, cli, 'Any other: "--command".');
  await requireProgram(name, env.PATH);
  const { cliFactories } = await import('../../participants/clis/cli-agents.ts');
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
  const { createCliAdapter } = await import('../../participants/clis/cli-agents.ts');
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

function addressIn(given: string): string {
  if (BASE_URL.test(given)) return given;
  // A password may be in it.
  const message = '--base-url: expected an http or https address without a user, such as https://api.example.com/v1';
  throw new Trouble('wrong', 'wrong_value', message, 'The key comes from the environment: "--key-env <name>".');
}

function noApi(given: string): Trouble {
  return wrongValue(
    '--model',
    MODEL_FORM,
    given,
    'For another program say which: "--cli", or "--command" with {model} in it.',
  );
}

function noKey(variable: string): Trouble {
  const hint = `Set it ("export ${variable}=…"), or say which variable has it: "--key-env <name>".`;
  return new Trouble('wrong', 'no_key', `the model needs a key: ${variable} is not set`, hint);
}

function tooMany(given: readonly string[]): Trouble {
  const ways = given.map((way) => `--${way}`).join(' and ');
  return new Trouble('wrong', 'wrong_option', `${ways} exclude each other`, 'One participant is run by one of them.');
}
