/** Who is to take part in a schedule and is neither in the file nor known to the hub. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalHub } from '../../server/create-hub.ts';
import type { Plan } from '../../config/start-agents.ts';
import { isName } from '../../config/check-schedules.ts';
import type { Config } from '../../config/shape/config.ts';
import { configTrouble, type Problem } from './problems.ts';

interface Stranger {
  readonly name: string;
  readonly problem: Problem;
}

/** `names`: the agents of the file, also those something is wrong with. */
export function strangersIn({ schedules = {} }: Config, names: readonly string[]): readonly Stranger[] {
  const known = new Set(names);
  return Object.entries(schedules).flatMap(([schedule, { as, participants }]) => {
    known.add(as);
    return participants.flatMap((name, at): Stranger[] => {
      if (!isName(name) || known.has(name)) return [];
      const text = `nobody called "${name}" is one of agents, or registered with the hub`;
      return [{ name, problem: { path: ['schedules', schedule, 'participants', at], text } }];
    });
  });
}

/** A folder that no hub has been in yet: nobody is registered there. */
export function isNewFolder(data: string): boolean {
  return !existsSync(join(data, 'parley.json'));
}

/** Before anything is made: who is named and whom nobody knows, by their keys. */
export async function checkStrangers(hub: LocalHub, { loaded, agents }: Plan): Promise<void> {
  const { config, source, hide } = loaded;
  const named = agents.map(({ name }) => name);
  const found = await Promise.all(
    strangersIn(config, named).map(async ({ name, problem }) => ((await isRegistered(hub, name)) ? [] : [problem])),
  );
  const problems = found.flat();
  if (problems.length > 0) throw configTrouble(source, problems, hide);
}

/** Nothing is granted: only who is there has grants at all. */
async function isRegistered(hub: LocalHub, name: string): Promise<boolean> {
  return hub.grant(name, []).then(
    () => true,
    () => false,
  );
}
