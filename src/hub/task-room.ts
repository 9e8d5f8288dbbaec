/** How many tasks an owner may have at once, over all its sessions that have not ended. */

import { WireError } from '../core/lib/errors.ts';
import type { Binding } from './bindings.ts';
import { inLine } from './lib/keyed-lock.ts';
import type { HubParts } from './parts.ts';
import { liveSessionsOf } from './log/read-pages.ts';

/**
 * Runs `then` with why the owner may have no more, or null. Of an owner with a limit one start waits for the other: each
 * is counted when it is durable, so that two at once do not pass the limit. Who has none waits for nothing.
 */
export function withTaskRoom<T>(
  parts: HubParts,
  { agentId, name }: Binding,
  then: (full: WireError | null) => Promise<T>,
): Promise<T> {
  const { registry, starting } = parts;
  const mostOf = (): number | null => registry.ruleOf(agentId).limits.max_concurrent_tasks;
  if (mostOf() === null) return then(null);
  return inLine(starting, new Set([agentId]), async () => {
    const most = mostOf();
    return then(most !== null && (await hasAsMany(parts, agentId, most)) ? tooMany(name, most) : null);
  });
}

async function hasAsMany({ store }: HubParts, agentId: string, most: number): Promise<boolean> {
  let live = 0;
  if (live >= most) return true;
  for await (const { head } of liveSessionsOf(store, agentId)) {
    live += head.tasks?.[agentId] ?? 0;
    if (live >= most) return true;
  }
  return false;
}

function tooMany(name: string, most: number): WireError {
  const message = `the task cannot be started: ${name} may have ${most} at once, and has (limits.max_concurrent_tasks)`;
  return new WireError('forbidden', message, { most });
}
