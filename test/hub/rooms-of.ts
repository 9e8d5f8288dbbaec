/** Tests of what a hub keeps in memory must look inside it. */

import type { Hub } from '../../src/hub/hub.ts';
import type { HubParts } from '../../src/hub/parts.ts';

export function partsOf(hub: Hub): HubParts {
  return (hub as unknown as { parts: HubParts }).parts;
}
