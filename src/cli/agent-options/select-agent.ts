/** What `parley join` asks for its turns: a CLI it knows, any command, a script, or a model. */

import { resolve } from 'node:path';
import type { AgentFn } from '../../participants/agent/agent-fn.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { type CommandError, invalidValueError, usageError } from '../terminal/command-error.ts';
import { parseInteger } from '../terminal/parse-values.ts';
import { loadScript } from './load-script.ts';
import {
  agentForModel,
  BASE_URL,
  keyVariable,
  MODEL_FORM,
  type ModelChoice,
  needsKey,
  parseModelChoice,
} from './model-choice.ts';
import { CLI_NAMES, requireProgram, splitWords } from './programs.ts';
import type { RoleFile } from './role-file.ts';
import { parseTimeout, rejectUnusedOptions, resolveRunOptions } from './run-options.ts';

export interface SelectedAgent {
  readonly agent: AgentFn;
  /** Who it is if nobody says. */
  readonly name: string;
  /** For its passport. */
  readonly provider: string;
  readonly model?: string | undefined;
}

const WAYS = ['cli', 'command', 'script'] as const;

/** null = nothing is asked to take turns: a person does. */
export async function selectAgent(
  args: CommandArgs,
  role: RoleFile,
  env: NodeJS.ProcessEnv,
): Promise<SelectedAgent | null> {
  const { values } = args;
  const ways = WAYS.filter((way) => values[way] !== undefined);
  if (ways.length > 1) throw tooMany(ways);
  const model = values.model ?? role.model;
  const choice = ways.length > 0 || role.cli !== undefined || model === undefined ? null : parseModelChoice(model);
  if (values.model !== undefined && ways.length === 0 && role.cli === undefined && choice === null)
    throw noApi(values.model);
  rejectUnusedOptions(ways[0] ?? (role.cli !== undefined ? 'cli' : choice !== null ? 'model' : 'person'), args, role);
  if (choice !== null) return byModel(choice, args, env);
  if (values.script !== undefined) {
    return { agent: await loadScript(values.script), name: nameOfFile(values.script), provider: 'script' };
  }
  if (values.command !== undefined) return byCommand(values.command, args, role, env);
  const cli = values.cli ?? role.cli;
  return cli === undefined ? null : byName(cli, args, role, env);
}

/** Its key comes from the environment: an argument is there for everybody on the machine to read. */
function byModel(choice: ModelChoice, { values }: CommandArgs, env: NodeJS.ProcessEnv): SelectedAgent {
  const { 'base-url': address, 'max-tokens': maxTokens, timeout } = values;
  const baseUrl = address === undefined ? undefined : addressIn(address);
  const variable = values['key-env'] ?? keyVariable(choice);
  const apiKey = env[variable] || undefined;
  if (apiKey === undefined && (values['key-env'] !== undefined || needsKey(baseUrl))) throw noKey(variable);
  const agent = agentForModel(choice, {
    baseUrl,
    apiKey,
    maxTokens: maxTokens === undefined ? undefined : parseInteger('--max-tokens', maxTokens, 1),
    timeoutMs: timeout === undefined ? undefined : parseTimeout(timeout),
  });
  return { agent, name: nameOfFile(choice.model), provider: choice.api, model: choice.model };
}

async function byName(cli: string, args: CommandArgs, role: RoleFile, env: NodeJS.ProcessEnv): Promise<SelectedAgent> {
  const name = CLI_NAMES.find((one) => one === cli);
  if (name === undefined)
    throw invalidValueError('cli', `one of ${CLI_NAMES.join(', ')}`, cli, 'Any other: "--command".');
  await requireProgram(name, env.PATH);
  const { cliFactories } = await import('../../participants/clis/cli-agents.ts');
  const model = modelOf(args, role);
  const { permissions } = args.values;
  const agent = cliFactories[name]({
    ...(await resolveRunOptions(args, env)),
    ...(model === undefined ? {} : { model }),
    // The table of options has the values there are.
    ...(permissions === undefined ? {} : { permissions: permissions as 'safe' }),
  });
  return { agent, name, provider: name };
}

async function byCommand(
  line: string,
  args: CommandArgs,
  role: RoleFile,
  env: NodeJS.ProcessEnv,
): Promise<SelectedAgent> {
  const [command = '', ...words] = splitWords(line, '--command');
  await requireProgram(command, env.PATH);
  const running = await resolveRunOptions(args, env);
  const { createCliAdapter } = await import('../../participants/clis/cli-agents.ts');
  const model = modelOf(args, role);
  const { transport, output } = args.values;
  const agent = createCliAdapter({
    ...running,
    // A path is meant from where it was typed, wherever the program then runs.
    command: command.includes('/') ? resolve(command) : command,
    args: words,
    ...(model === undefined ? {} : { model }),
    // The table of options has the values there are.
    ...(transport === undefined ? {} : { transport: transport as 'stdin' }),
    ...(output === undefined ? {} : { output: output as 'text' }),
  });
  return { agent, name: nameOfFile(command), provider: 'command' };
}

/** It becomes an argument: one that reads like an option is refused by every adapter. */
function modelOf({ values }: CommandArgs, role: RoleFile): string | undefined {
  const model = values.model ?? role.model;
  if (model === undefined || /^\s*[^\s-]/.test(model)) return model;
  const where = values.model === undefined ? 'model of the role' : '--model';
  throw invalidValueError(where, 'the name of a model, which does not begin with -', model);
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

function addressIn(value: string): string {
  if (BASE_URL.test(value)) return value;
  // A password may be in it.
  const message = '--base-url: expected an http or https address without a user, such as https://api.example.com/v1';
  throw usageError('wrong_value', message, 'The key comes from the environment: "--key-env <name>".');
}

function noApi(value: string): CommandError {
  return invalidValueError(
    '--model',
    MODEL_FORM,
    value,
    'For another program say which: "--cli", or "--command" with {model} in it.',
  );
}

function noKey(variable: string): CommandError {
  const hint = `Set it ("export ${variable}=…"), or say which variable has it: "--key-env <name>".`;
  return usageError('no_key', `the model needs a key: ${variable} is not set`, hint);
}

function tooMany(names: readonly string[]): CommandError {
  const ways = names.map((way) => `--${way}`).join(' and ');
  return usageError('wrong_option', `${ways} exclude each other`, 'One participant is run by one of them.');
}
