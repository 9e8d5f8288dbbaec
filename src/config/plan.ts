/**
 * Turns the config file of `parley up` into a plan for start-agents.ts. load-config.ts reads and checks the file;
 * this adds what needs other files or a hub: agents, role files, schedules. All problems are reported together, with
 * their lines; errors never contain secret values.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../cli/terminal/command-error.ts';
import { checkSchedules, findUnknownParticipants, isNewFolder } from './check-schedules.ts';
import { CONFIG_ENDINGS, examineConfig, type LoadedConfig } from './load-config.ts';
import { type PreparedAgent, prepareAgents, roleFileProblems } from './prepare-agent.ts';
import { configError } from './reading/location.ts';

/** A valid config file with its agents. */
export interface Plan {
  readonly loaded: LoadedConfig;
  readonly agents: readonly PreparedAgent[];
}

export interface PlanOptions {
  /** Folder to search if no file is named. */
  readonly folder?: string | undefined;
  /** The hub's data folder; if set, participants that cannot exist in a new folder are reported. */
  readonly data?: { readonly requested: string | undefined; readonly fallback: string } | undefined;
}

/** Throws a CommandError with all problems. */
export async function loadPlan(file: string, env: NodeJS.ProcessEnv, { data }: PlanOptions = {}): Promise<Plan> {
  const { loaded, problems, agentNames } = await examineConfig(file, env);
  const { config, source, hide } = loaded;
  const prepared = await prepareAgents(loaded, env);
  const isNew = data !== undefined && isNewFolder(data.requested ?? config.hub?.data ?? data.fallback);
  const all = [
    ...problems,
    ...prepared.problems,
    ...(await roleFileProblems(loaded)),
    ...(await checkSchedules(config, source.value)),
    ...(isNew ? await findUnknownParticipants(null, loaded, agentNames) : []),
  ];
  if (all.length > 0) throw configError(source, all, hide);
  return { loaded, agents: prepared.agents };
}

/** Loads the named file, or the only one in the folder; null if there is none. */
export async function findPlan(
  value: string | undefined,
  env: NodeJS.ProcessEnv,
  planning: PlanOptions = {},
): Promise<Plan | null> {
  const file = value ?? findConfig(planning.folder ?? '');
  return file === null ? null : loadPlan(file, env, planning);
}

const CONFIG_NAMES: readonly string[] = CONFIG_ENDINGS.map((ending) => `parley.config.${ending}`);

/** Finds the config file of a folder; null if there is none. Several are an error: the choice would be a guess. */
export function findConfig(folder: string): string | null {
  const [found, ...others] = CONFIG_NAMES.filter((name) => existsSync(join(folder, name)));
  if (found === undefined) return null;
  if (others.length === 0) return join(folder, found);
  const message = `expected one config file here, got ${[found, ...others].join(', ')}`;
  throw usageError('wrong_value', message, `Keep one of them, or name it: "--config ${found}".`);
}
