/** Participants of schedules that are neither agents of the file nor registered with the hub. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalHub } from '../server/create-hub.ts';
import { isName } from './check-schedules.ts';
import type { LoadedConfig } from './load-config.ts';
import { configError, type Problem } from './reading/location.ts';

/** A data folder without a hub: nobody is registered there. */
export function isNewFolder(data: string): boolean {
  return !existsSync(join(data, 'parley.json'));
}

/** Checks before anything is created. */
export async function requireKnownParticipants(
  hub: LocalHub,
  loaded: LoadedConfig,
  agentNames: readonly string[],
): Promise<void> {
  const problems = await findUnknownParticipants(hub, loaded, agentNames);
  if (problems.length > 0) throw configError(loaded.source, problems, loaded.hide);
}

/** `hub` null = nobody is registered yet. `agentNames`: the agents of the file, valid or not. */
export async function findUnknownParticipants(
  hub: LocalHub | null,
  { config: { schedules = {} } }: LoadedConfig,
  agentNames: readonly string[],
): Promise<readonly Problem[]> {
  const known = new Set(agentNames);
  const problems: Problem[] = [];
  for (const [schedule, { as, participants }] of Object.entries(schedules)) {
    known.add(as);
    for (const [at, name] of participants.entries()) {
      if (!isName(name) || known.has(name) || (hub !== null && (await isRegistered(hub, name)))) continue;
      const text = `"${name}" is neither one of agents nor registered with the hub`;
      problems.push({ path: ['schedules', schedule, 'participants', at], text });
    }
  }
  return problems;
}

/** Grants nothing; the call fails unless the name is registered. */
async function isRegistered(hub: LocalHub, name: string): Promise<boolean> {
  return hub.grant(name, []).then(
    () => true,
    () => false,
  );
}
