/** What tasks came to goes into the resumes of their owners, once it is durable. Nobody waits for it. */

import type { Entry } from '../core/records/session/envelope.ts';
import { asError } from '../core/lib/errors.ts';
import { outcomeIn, type TaskOutcome } from '../core/records/identity/resume.ts';
import type { HubParts } from './parts.ts';

/** One record for each owner a unit tells of. */
export function noteOutcomes(parts: HubParts, entries: readonly Entry[]): void {
  let byOwner: Map<string, TaskOutcome[]> | null = null;
  for (const { envelope } of entries) {
    // Most envelopes name no task.
    const found = envelope.task_id === null ? null : outcomeIn(envelope);
    if (found === null) continue;
    byOwner ??= new Map();
    const outcomes = byOwner.get(found.owner_id);
    if (outcomes === undefined) byOwner.set(found.owner_id, [found.outcome]);
    else outcomes.push(found.outcome);
  }
  for (const [ownerId, outcomes] of byOwner ?? []) write(parts, ownerId, outcomes);
}

/** One that is lost is one less in a statistic; a hub that cannot write has said so elsewhere. */
function write({ registry, backlog, log }: HubParts, agent_id: string, outcomes: readonly TaskOutcome[]): void {
  // Who has been unregistered since has no resume.
  if (backlog.failed !== null || registry.byAgentId(agent_id) === null) return;
  registry.observe(agent_id, outcomes).catch((thrown: unknown) => {
    if (backlog.failed === null)
      log.warn('outcomes of tasks could not be kept', { agent_id, error: asError(thrown).message });
  });
}
