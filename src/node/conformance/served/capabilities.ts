/** What this implementation says of itself over HTTP: the same as in its folder, but for how it is asked. */

import { shownVersion } from '../../contracts/version.ts';

export const SURFACES = [
  'state_machine',
  'turn_result_validation',
  'gate_semantics',
  'decision_ledger',
  'history',
  'config_schema',
  'delegation',
  'decision_carryover',
  'parallel_turns',
  'event_lifecycle',
  'dispatch_manifest',
  'hook_audit',
  'coordinator',
] as const;

export function servedCapabilities(): object {
  return {
    implementation: 'parley-hub',
    version: shownVersion(),
    protocol_version: 'v7',
    tiers: [1, 2, 3],
    adapter: { protocol: 'http-fixture-v1' },
    surfaces: Object.fromEntries(SURFACES.map((surface) => [surface, true])),
    metadata: { name: 'Parley' },
  };
}
