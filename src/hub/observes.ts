/** Who is in no session and may still look at it; each look is told to the tap, and by that to the audit. */

import type { HubEvents } from './telemetry/events.ts';
import type { HubParts } from './parts.ts';

/** It has the grant, and what it looks at now is written down. */
export function observes(
  { registry, events }: HubParts,
  agent_id: string,
  session_id: string,
  op: HubEvents['sessionObserved']['op'],
): boolean {
  if (!registry.holds(agent_id, 'observe')) return false;
  events.emit('sessionObserved', { agent_id, session_id, op });
  return true;
}
