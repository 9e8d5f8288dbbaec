/** Creates the agent of `parley join`: a known CLI, any command, a script, or a model. */

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
  /** Default name of the participant. */
  readonly name: string;
  readonly provider: string;
  readonly model?: string | undefined;
}

const WAYS = ['cli', 'command', 'script'] as const;

/** Resolves to null if a person takes the turns. */
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

/** The key comes from the environment: other users of the machine can read arguments. */
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
    throw invalidValueError('cli', `one of ${CLI_NAMES.join(', ')}`, cli, 'For any other program use "--command".');
  await requireProgram(name, env.PATH);
  const { cliFactories } = await import('../../participants/clis/cli-agents.ts');
  const model = modelOf(args, role);
  const { permissions } = args.values;
  const agent = cliFactories[name]({
    ...(await resolveRunOptions(args, env)),
    ...(model === undefined ? {} : { model }),
    // The cast is safe: the parser checked the value.
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
    // Resolve relative to the current folder, not to --cwd.
    command: command.includes('/') ? resolve(command) : command,
    args: words,
    ...(model === undefined ? {} : { model }),
    // The casts are safe: the parser checked the values.
    ...(transport === undefined ? {} : { transport: transport as 'stdin' }),
    ...(output === undefined ? {} : { output: output as 'text' }),
  });
  return { agent, name: nameOfFile(command), provider: 'command' };
}

/** Rejects a model that looks like an option, because the model becomes an argument. */
function modelOf({ values }: CommandArgs, role: RoleFile): string | undefined {
  const model = values.model ?? role.model;
  if (model === undefined || /^\s*[^\s-]/.test(model)) return model;
  const where = values.model === undefined ? 'model of the role' : '--model';
  throw invalidValueError(where, 'a model name that does not begin with "-"', model);
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
  // Do not show the value: it may contain a password.
  const message = '--base-url: expected an http or https address without a user, such as https://api.example.com/v1';
  throw usageError('wrong_value', message, 'Keys come from the environment: "--key-env <name>".');
}

function noApi(value: string): CommandError {
  const hint = 'For another program use "--cli", or "--command" with {model} in it.';
  return invalidValueError('--model', MODEL_FORM, value, hint);
}

function noKey(variable: string): CommandError {
  const hint = `Set it ("export ${variable}=…"), or name another variable: "--key-env <name>".`;
  return usageError('no_key', `the model requires a key: ${variable} is not set`, hint);
}

function tooMany(names: readonly string[]): CommandError {
  const ways = names.map((way) => `--${way}`).join(' and ');
  return usageError('wrong_option', `${ways} exclude each other`, 'Use only one of them.');
}
