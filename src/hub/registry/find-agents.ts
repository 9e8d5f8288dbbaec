/** A page of the agents that fit, by name. */

import { fitsQuery, foundAgent } from '../../core/records/identity/find-agent.ts';
import type { Params, Result } from '../../core/operations.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import { capabilitiesOf } from '../../core/records/identity/resume-schema.ts';
import { countWithin, PAGE } from '../lib/fit-page.ts';
import type { HubParts } from '../parts.ts';

/** Agents looked at for one page, so that a search nobody fits does not hold up everyone else; `next` goes on from there. */
const MOST_LOOKED_AT = 2000;

type Found = Result<'find_agent'>;

export function findAgents(parts: HubParts, { after = '', limit = PAGE, ...query }: Params<'find_agent'>): Found {
  const { registry, presence, limits } = parts;
  const agents: Found['agents'][number][] = [];
  let looked = 0;
  let last: string | null = null;
  let next: string | null = null;
  for (const agent of registry.after(after)) {
    if (agents.length === limit || looked === MOST_LOOKED_AT) {
      next = last;
      break;
    }
    looked += 1;
    last = agent.passport.name;
    const bound = presence.isHere(agent.passport.agent_id);
    if (fitsQuery(agent, bound, query)) agents.push(foundAgent(agent, bound));
  }
  const fitting = countWithin(agents, limits.maxResponseBytes);
  if (fitting === agents.length) return { agents, next };
  const shown = agents.slice(0, fitting);
  return { agents: shown, next: shown.at(-1)?.name ?? null };
}

/**
 * Who offers each of these, in the order they are to be chosen: who is connected before who is not, then by name. The
 * registry is gone through once, however many are asked for.
 */
export function offering({ registry, presence }: HubParts, capabilities: Iterable<string>): Offers {
  const offers = new Map([...capabilities].map((one) => [one.toLowerCase(), { here: [], away: [] } as Offer]));
  for (const { passport, resume } of offers.size === 0 ? [] : registry.after('')) {
    if (registry.isLeaving(passport.agent_id)) continue;
    const side = presence.isHere(passport.agent_id) ? 'here' : 'away';
    for (const capability of capabilitiesOf(resume)) offers.get(capability)?.[side].push(passport);
  }
  return new Map([...offers].map(([capability, { here, away }]) => [capability, [...here, ...away]]));
}

/** By capability in lower case. */
export type Offers = ReadonlyMap<string, readonly Passport[]>;

interface Offer {
  readonly here: Passport[];
  readonly away: Passport[];
}
