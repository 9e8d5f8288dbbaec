/** A config file, from its path to what can be carried out: also what its agents need is there, and its schedules would be taken. */

import type { Plan } from '../../config/start-agents.ts';
import { scheduleRefusals } from '../../config/check-schedules.ts';
import { findConfig } from './find-config.ts';
import { examineConfig } from '../../config/load-config.ts';
import { prepareAgents, roleFileProblems } from '../../config/prepare-agent.ts';
import { configTrouble } from './problems.ts';
import { isNewFolder, strangersIn } from './strangers.ts';

export interface Planning {
  /** Where to look for a file that nobody named. */
  readonly folder?: string | undefined;
  /** Where the hub keeps everything unless the file says so; with it, who cannot be registered there is told too. */
  readonly data?: { readonly given: string | undefined; readonly usual: string } | undefined;
}

/** Throws a Trouble with everything that is wrong. */
export async function planOf(file: string, env: NodeJS.ProcessEnv, { data }: Planning = {}): Promise<Plan> {
  const { loaded, problems, agentNames } = await examineConfig(file, env);
  const { config, source, hide } = loaded;
  const prepared = await prepareAgents(loaded, env);
  const isNew = data !== undefined && isNewFolder(data.given ?? config.hub?.data ?? data.usual);
  const all = [
    ...problems,
    ...prepared.problems,
    ...(await roleFileProblems(loaded)),
    ...(await scheduleRefusals(config, source.value)),
    ...(isNew ? strangersIn(config, agentNames).map(({ problem }) => problem) : []),
  ];
  if (all.length > 0) throw configTrouble(source, all, hide);
  return { loaded, agents: prepared.agents };
}

/** Of the file that is named, or the only one that is in the folder; null = there is none. */
export async function planIn(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
  planning: Planning = {},
): Promise<Plan | null> {
  const file = given ?? findConfig(planning.folder ?? '');
  return file === null ? null : planOf(file, env, planning);
}
