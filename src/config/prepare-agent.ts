/** Builds the agent function of a config entry and checks its requirements now, not at its first turn. */

import { readFile, stat } from 'node:fs/promises';
import { loadScript } from '../cli/agent-options/load-script.ts';
import { agentForModel, clientForModel, keyVariable, parseModelChoice } from '../cli/agent-options/model-choice.ts';
import { requireProgram, splitWords } from '../cli/agent-options/programs.ts';
import { NO_ROLE, type RoleFile, readRole } from '../cli/agent-options/role-file.ts';
import { asError } from '../core/lib/errors.ts';
import { durationMs } from '../core/lib/time.ts';
import type { AgentFn } from '../participants/agent/agent-fn.ts';
import type { CliOptions } from '../participants/clis/cli-options.ts';
import { modelOf } from '../participants/models/client/model-client.ts';
import { type PriceList, withPrices } from '../participants/models/usage/prices.ts';
import { type ExtractSettings, mergeExtract } from '../participants/roles/extract/settings.ts';
import { createRole } from '../participants/roles/role.ts';
import { toMetaSchema, toSecondModel } from './checks/check-values.ts';
import type { LoadedConfig } from './load-config.ts';
import type { KeyPath, Problem } from './reading/location.ts';
import type { AgentConfig, Config, ExtractConfig, RoleConfig } from './shape/config.ts';

export interface PreparedAgent {
  readonly name: string;
  readonly settings: AgentConfig;
  readonly agent: AgentFn;
  /** The provider shown in the passport and to people. */
  readonly provider: string;
  readonly model: string | undefined;
  readonly systemPrompt: string;
  /** From the role file; others can search for it. */
  readonly description: string | undefined;
}

/** Prepares all agents; returns the prepared ones, and the problems of the others. */
export async function prepareAgents(
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly agents: readonly PreparedAgent[]; readonly problems: readonly Problem[] }> {
  const entries = Object.entries(loaded.config.agents ?? {});
  const made = await Promise.allSettled(entries.map(([name, settings]) => prepared(name, settings, loaded, env)));
  const agents = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const problems = made.flatMap((one, at): Problem[] => {
    if (one.status === 'fulfilled') return [];
    const reason: unknown = one.reason;
    if (reason instanceof ConfigProblemError) return [reason.problem];
    return [{ path: ['agents', entries[at]?.[0] ?? ''], part: 'key', text: asError(reason).message }];
  });
  return { agents, problems };
}

/** Finds the problems of role files, including those of unused roles. */
export async function roleFileProblems(loaded: LoadedConfig): Promise<readonly Problem[]> {
  const roles = Object.entries(loaded.config.roles ?? {});
  const read = await Promise.allSettled(roles.map(([id, role]) => roleOf(role, ['roles', id, 'promptFile'], loaded)));
  return read.flatMap((one) =>
    one.status === 'rejected' && one.reason instanceof ConfigProblemError ? [one.reason.problem] : [],
  );
}

async function prepared(
  name: string,
  settings: AgentConfig,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<PreparedAgent> {
  const path = ['agents', name];
  const role = settings.role === undefined ? undefined : loaded.config.roles?.[settings.role];
  const file = role === undefined ? NO_ROLE : await roleOf(role, ['roles', settings.role ?? '', 'promptFile'], loaded);
  const { description } = file;
  const { agent, provider, model } = await agentOf(path, settings, loaded, env);
  const prompts = { role: file.prompt, own: settings.prompt ?? '' };
  return { name, settings, provider, model, description, ...applyRole(agent, prompts, role, loaded.config, env) };
}

async function roleOf(
  { prompt = '', promptFile }: RoleConfig,
  path: KeyPath,
  { from }: LoadedConfig,
): Promise<RoleFile> {
  return promptFile === undefined ? { ...NO_ROLE, prompt } : withKey(path, readRole(from(promptFile)));
}

async function agentOf(
  path: KeyPath,
  settings: AgentConfig,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<Pick<PreparedAgent, 'agent' | 'provider' | 'model'>> {
  const { script, cli, command, model } = settings;
  if (script !== undefined) {
    const file = loaded.from(script);
    const agent = await withKey([...path, 'script'], loadScript(file, ''));
    if (await isOfTexts(file))
      checkCost(path, settings, 'a list of texts reports no cost', 'use answers with a cost_usd');
    return { agent, provider: 'script', model: undefined };
  }
  if (cli !== undefined) {
    await withKey([...path, 'cli'], requireProgram(cli, env.PATH));
    const { cliFactories } = await import('../participants/clis/cli-agents.ts');
    const { permissions } = settings;
    const agent = cliFactories[cli]({ ...(await running(path, settings, loaded, env)), model, permissions });
    return { agent, provider: cli, model };
  }
  if (command !== undefined) return byCommand(path, command, settings, loaded, env);
  return createModelAgent(path, settings, loaded.config.prices, env);
}

async function byCommand(
  path: KeyPath,
  line: NonNullable<AgentConfig['command']>,
  settings: AgentConfig,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<Pick<PreparedAgent, 'agent' | 'provider' | 'model'>> {
  const at = [...path, 'command'];
  const [first = '', ...args] = typeof line === 'string' ? await withKey(at, words(line)) : line;
  const command = first.includes('/') ? loaded.from(first) : first;
  await withKey(at, requireProgram(command, env.PATH));
  const { createCliAdapter } = await import('../participants/clis/cli-agents.ts');
  const { model, transport, output } = settings;
  if (output === undefined || output === 'text')
    checkCost(path, settings, 'a command reports no cost with output text', 'use output json');
  const options = await running(path, settings, loaded, env);
  const agent = createCliAdapter({ ...options, command, args, model, transport, output });
  return { agent, provider: 'command', model };
}

async function words(line: string): Promise<readonly string[]> {
  return splitWords(line, 'command');
}

async function isOfTexts(file: string): Promise<boolean> {
  if (!file.endsWith('.json')) return false;
  const list: unknown = JSON.parse(await readFile(file, 'utf8'));
  return Array.isArray(list) && list.every((one) => typeof one === 'string');
}

async function running(
  path: KeyPath,
  { timeout, passEnv, cwd = '.' }: AgentConfig,
  { from }: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<Pick<CliOptions, 'timeoutMs' | 'passEnv' | 'cwd'>> {
  const unset = (passEnv ?? []).findIndex((name) => env[name] === undefined);
  if (unset >= 0)
    throw new ConfigProblemError([...path, 'passEnv', unset], `the variable ${passEnv?.[unset]} is not set`);
  const folder = from(cwd);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw new ConfigProblemError([...path, 'cwd'], 'expected an existing folder');
  return { cwd: folder, passEnv, timeoutMs: timeout === undefined ? undefined : durationMs(timeout, 'timeout') };
}

/** Requires checked settings, in which model and key are present. */
function createModelAgent(
  path: KeyPath,
  settings: AgentConfig,
  prices: PriceList | undefined,
  env: NodeJS.ProcessEnv,
): Pick<PreparedAgent, 'agent' | 'provider' | 'model'> {
  const choice = parseModelChoice(settings.model ?? '');
  if (choice === null) throw new Error('expected a model');
  const { baseUrl, apiKey = env[keyVariable(choice)], maxTokens, temperature, stream, maxRounds, headers } = settings;
  const timeoutMs = settings.timeout === undefined ? undefined : durationMs(settings.timeout, 'timeout');
  const own = settings.prices === undefined ? prices : withPrices(settings.prices, prices);
  const options = { baseUrl, apiKey, maxTokens, temperature, stream, maxRounds, headers, prices: own, timeoutMs };
  const agent = agentForModel(choice, options);
  if (modelOf(agent)?.estimate?.({ messages: [] }).usd(1) === null)
    checkCost(path, settings, `${choice.model} has no known price`, 'set its prices');
  return { agent, provider: choice.api, model: choice.model };
}

/** A role with a schema adds its prompt itself; without one, the role's prompt becomes part of the system prompt. */
function applyRole(
  agent: AgentFn,
  prompts: { readonly role: string; readonly own: string },
  role: RoleConfig | undefined,
  { extract }: Pick<Config, 'extract'>,
  env: NodeJS.ProcessEnv,
): Pick<PreparedAgent, 'agent' | 'systemPrompt'> {
  if (role?.schema === undefined) {
    const parts = [prompts.role, prompts.own].filter((part) => part.trim() !== '');
    return { agent, systemPrompt: parts.join('\n\n') };
  }
  const meta = toMetaSchema(role.schema);
  if ('problem' in meta) throw new Error(meta.problem);
  const settings = settingsOf(mergeExtract(extract, role.extract), env);
  const all = meta.jsonSchema === undefined ? settings : { ...settings, jsonSchema: meta.jsonSchema };
  return { agent: createRole(agent, prompts.role, meta.schema, all).agent, systemPrompt: prompts.own };
}

function settingsOf({ model, ...rest }: ExtractConfig, env: NodeJS.ProcessEnv): ExtractSettings {
  if (model === undefined) return rest;
  const { model: value, ...settings } = toSecondModel(model);
  const choice = parseModelChoice(value);
  if (choice === null) return rest;
  return { ...rest, model: clientForModel(choice, { apiKey: env[keyVariable(choice)], ...settings }) };
}

class ConfigProblemError extends Error {
  readonly problem: Problem;

  constructor(path: KeyPath, text: string) {
    super(text);
    this.problem = { path, text };
  }
}

/** Reports any failure of `work` as a problem of the key at `path`. */
async function withKey<T>(path: KeyPath, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw new ConfigProblemError(path, asError(thrown).message.replace(/^(--role|--script)?: /, ''));
  }
}

/** Rejects a USD limit for an agent that cannot report its cost, unless unknown costs count as 0. */
function checkCost(path: KeyPath, { budget }: AgentConfig, reason: string, advice: string): void {
  if (budget === undefined || budget.unpriced === 'count_as_zero') return;
  const part = (['perTurn', 'perSession', 'total'] as const).find((one) => budget[one]?.usd !== undefined);
  if (part === undefined) return;
  const text = `${reason}, so a limit in USD cannot be enforced; ${advice}, or budget.unpriced: count_as_zero`;
  throw new ConfigProblemError([...path, 'budget', part, 'usd'], text);
}
