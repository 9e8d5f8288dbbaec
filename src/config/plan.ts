/**
 * The config file of `parley up`: from its path to a plan that can be carried out.
 *
 * `load-config.ts` reads it (`reading/`), expands variables, and checks its shape (`shape/`) and whether its values fit
 * together (`checks/`). This file adds what needs other files or a hub: agents, role files, schedules. `start-agents.ts` then
 * carries the plan out. All problems are reported at once, each with its line; values of secrets never appear in an error.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../cli/terminal/command-error.ts';
import { checkSchedules } from './check-schedules.ts';
import { CONFIG_ENDINGS, examineConfig, type LoadedConfig } from './load-config.ts';
import { type PreparedAgent, prepareAgents, roleFileProblems } from './prepare-agent.ts';
import { configError } from './reading/location.ts';
import { findUnknownParticipants, isNewFolder } from './unknown-participants.ts';

/** A config file that can be carried out. */
export interface Plan {
  readonly loaded: LoadedConfig;
  readonly agents: readonly PreparedAgent[];
}

export interface PlanOptions {
  /** Where to look for a file that nobody named. */
  readonly folder?: string | undefined;
  /** Where the hub keeps everything unless the file says so; with it, who cannot be registered there is told too. */
  readonly data?: { readonly requested: string | undefined; readonly fallback: string } | undefined;
}

/** Throws a CommandError with everything that is wrong. */
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

/** Of the file that is named, or the only one that is in the folder; null = there is none. */
export async function findPlan(
  value: string | undefined,
  env: NodeJS.ProcessEnv,
  planning: PlanOptions = {},
): Promise<Plan | null> {
  const file = value ?? findConfig(planning.folder ?? '');
  return file === null ? null : loadPlan(file, env, planning);
}

const CONFIG_NAMES: readonly string[] = CONFIG_ENDINGS.map((ending) => `parley.config.${ending}`);

/** null = there is none. Of two nobody can say which one is meant. */
export function findConfig(folder: string): string | null {
  const [found, ...others] = CONFIG_NAMES.filter((name) => existsSync(join(folder, name)));
  if (found === undefined) return null;
  if (others.length === 0) return join(folder, found);
  const message = `expected one config file here, got ${[found, ...others].join(', ')}`;
  throw usageError('wrong_value', message, `Keep one of them, or name it: "--config ${found}".`);
}
