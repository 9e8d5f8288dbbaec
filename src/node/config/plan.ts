/** A config file, from its path to what can be carried out: also what its agents need is there. */

import type { Plan } from './bring-up.ts';
import { findConfig } from './find-config.ts';
import { loadConfig } from './load-config.ts';
import { prepareAgents } from './prepare-agent.ts';
import { configTrouble } from './problems.ts';

/** Throws a Trouble with everything that is wrong. */
export async function planOf(file: string, env: NodeJS.ProcessEnv): Promise<Plan> {
  const loaded = await loadConfig(file, env);
  const { agents, problems } = await prepareAgents(loaded, env);
  if (problems.length > 0) throw configTrouble(loaded.source, problems, loaded.hide);
  return { loaded, agents };
}

/** Of the file that is named, or the only one that is in the folder; null = there is none. */
export async function planIn(given: string | undefined, env: NodeJS.ProcessEnv, folder = ''): Promise<Plan | null> {
  const file = given ?? findConfig(folder);
  return file === null ? null : planOf(file, env);
}
