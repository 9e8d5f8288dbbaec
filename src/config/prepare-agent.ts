/** An agent of a config file as the function that takes its turns. What it needs is looked for now, not when its turn comes. */

import { readFile, stat } from 'node:fs/promises';
import { asError } from '../core/lib/errors.ts';
import { durationMs } from '../core/time.ts';
import type { AgentFn } from '../participants/agent/agent-fn.ts';
import type { CliOptions } from '../participants/clis/cli-agent.ts';
import { requireProgram } from '../cli/agent-options/programs.ts';
import { loadScript } from '../cli/agent-options/load-script.ts';
import { NO_ROLE, type RoleFile, readRole } from '../cli/agent-options/role-file.ts';
import { splitWords } from '../node/commands/split-words.ts';
import { byModel } from '../node/config/by-model.ts';
import { cast } from '../node/config/cast.ts';
import type { AgentConfig, RoleConfig } from './shape/config.ts';
import type { LoadedConfig } from './load-config.ts';
import type { Problem } from '../node/config/problems.ts';
import type { KeyPath } from '../node/config/source.ts';
import { about, checkCost, Unfit } from '../node/config/unfit.ts';

export interface PreparedAgent {
  readonly name: string;
  readonly settings: AgentConfig;
  readonly agent: AgentFn;
  /** What takes its turns, for its passport and for people. */
  readonly provider: string;
  readonly model: string | undefined;
  readonly systemPrompt: string;
  /** Of its role, for others to find. */
  readonly description: string | undefined;
}

/** Every agent, or all that keeps some of them from beginning. */
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
    if (reason instanceof Unfit) return [reason.problem];
    return [{ path: ['agents', entries[at]?.[0] ?? ''], part: 'key', text: asError(reason).message }];
  });
  return { agents, problems };
}

/** Also of roles that nobody has. */
export async function roleFileProblems(loaded: LoadedConfig): Promise<readonly Problem[]> {
  const roles = Object.entries(loaded.config.roles ?? {});
  const read = await Promise.allSettled(roles.map(([id, role]) => roleOf(role, ['roles', id, 'promptFile'], loaded)));
  return read.flatMap((one) => (one.status === 'rejected' && one.reason instanceof Unfit ? [one.reason.problem] : []));
}

async function prepared(
  name: string,
  settings: AgentConfig,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<PreparedAgent> {
  const path = ['agents', name];
  const role = settings.role === undefined ? undefined : loaded.config.roles?.[settings.role];
  const said = role === undefined ? NO_ROLE : await roleOf(role, ['roles', settings.role ?? '', 'promptFile'], loaded);
  const { description } = said;
  const { agent, provider, model } = await agentOf(path, settings, loaded, env);
  const prompts = { role: said.prompt, own: settings.prompt ?? '' };
  return { name, settings, provider, model, description, ...cast(agent, prompts, role, loaded.config, env) };
}

async function roleOf(
  { prompt = '', promptFile }: RoleConfig,
  path: KeyPath,
  { from }: LoadedConfig,
): Promise<RoleFile> {
  return promptFile === undefined ? { ...NO_ROLE, prompt } : about(path, readRole(from(promptFile)));
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
    const agent = await about([...path, 'script'], loadScript(file, ''));
    if (await isOfTexts(file))
      checkCost(path, settings, 'a list of texts tells no cost', 'give answers with a cost_usd');
    return { agent, provider: 'script', model: undefined };
  }
  if (cli !== undefined) {
    await about([...path, 'cli'], requireProgram(cli, env.PATH));
    const { cliFactories } = await import('../participants/clis/cli-agents.ts');
    const { permissions } = settings;
    const agent = cliFactories[cli]({ ...(await running(path, settings, loaded, env)), model, permissions });
    return { agent, provider: cli, model };
  }
  if (command !== undefined) return byCommand(path, command, settings, loaded, env);
  return byModel(path, settings, loaded.config.prices, env);
}

async function byCommand(
  path: KeyPath,
  line: NonNullable<AgentConfig['command']>,
  settings: AgentConfig,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<Pick<PreparedAgent, 'agent' | 'provider' | 'model'>> {
  const at = [...path, 'command'];
  const [first = '', ...args] = typeof line === 'string' ? await about(at, words(line)) : line;
  const command = first.includes('/') ? loaded.from(first) : first;
  await about(at, requireProgram(command, env.PATH));
  const { createCliAdapter } = await import('../participants/clis/cli-agents.ts');
  const { model, transport, output } = settings;
  if (output === undefined || output === 'text')
    checkCost(path, settings, 'a command tells no cost with output text', 'let it write json');
  const options = await running(path, settings, loaded, env);
  return {
    agent: createCliAdapter({ ...options, command, args, model, transport, output }),
    provider: 'command',
    model,
  };
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
  if (unset >= 0) throw new Unfit([...path, 'passEnv', unset], `the variable ${passEnv?.[unset]} is not set`);
  const folder = from(cwd);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw new Unfit([...path, 'cwd'], 'expected a folder that is there');
  return { cwd: folder, passEnv, timeoutMs: timeout === undefined ? undefined : durationMs(timeout, 'timeout') };
}
