/** What whoever sets an agent up says that it can do: it is told to the hub, for others to find it by. */

import { jsonEqual } from '../../core/lib/json.ts';
import type { Params } from '../../core/operations.ts';
import type { Resume } from '../../core/records/identity/resume-schema.ts';

export interface Claim {
  /** None = nothing is said of them. */
  readonly capabilities: readonly string[];
  readonly summary: string | undefined;
}

export function isClaim({ capabilities, summary }: Claim): boolean {
  return capabilities.length > 0 || summary !== undefined;
}

/** Nothing in it is news. */
export function hasClaimed(known: Pick<Resume, 'claimed_capabilities' | 'summary'>, claim: Claim): boolean {
  const { capabilities, summary } = claim;
  const isSame = capabilities.length === 0 || jsonEqual(known.claimed_capabilities, capabilities);
  return isSame && (summary === undefined || summary === known.summary);
}

/** What is not said stays as it was. */
export function claimParams({ capabilities, summary }: Claim): Params<'set_resume'> {
  return { claimed_capabilities: capabilities.length === 0 ? undefined : capabilities, summary };
}
