/** Searches for agents: a page by name, and the agents that offer a capability. */

import type { Params, Result } from '../../core/protocol/operations/operations.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import { fitsQuery, toFoundAgent } from '../../core/records/identity/find-agent.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import { capabilitiesOf } from '../../core/records/identity/resume-schema.ts';
import type { Presence } from '../bindings/bindings.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import type { Registry } from './registry.ts';

export interface FindAgentsNeeds {
  readonly limits: Limits;
  readonly presence: Pick<Presence, 'isHere'>;
  readonly registry: Pick<Registry, 'after' | 'isLeaving'>;
}

/** Maximum agents checked per page, so that a search without matches does not block others; `next` continues it. */
const MAX_CHECKED = 2000;

type Found = Result<'find_agent'>;

export function findAgents(
  { registry, presence, limits }: FindAgentsNeeds,
  { after = '', limit = DEFAULT_PAGE_SIZE, ...query }: Params<'find_agent'>,
): Found {
  const agents: Found['agents'][number][] = [];
  let looked = 0;
  let last: string | null = null;
  let next: string | null = null;
  for (const agent of registry.after(after)) {
    if (agents.length === limit || looked === MAX_CHECKED) {
      next = last;
      break;
    }
    looked += 1;
    last = agent.passport.name;
    const bound = presence.isHere(agent.passport.agent_id);
    if (fitsQuery(agent, bound, query)) agents.push(toFoundAgent(agent, bound));
  }
  const fitting = countFitting(agents, limits.maxResponseBytes);
  if (fitting === agents.length) return { agents, next };
  const shown = agents.slice(0, fitting);
  return { agents: shown, next: shown.at(-1)?.name ?? null };
}

/** The agents that offer each capability, connected ones first, then by name. Reads the registry once. */
export function findOffers(
  { registry, presence }: Omit<FindAgentsNeeds, 'limits'>,
  capabilities: Iterable<string>,
): Offers {
  const offers = new Map([...capabilities].map((one) => [one.toLowerCase(), { here: [], away: [] } as Offer]));
  for (const { passport, resume } of offers.size === 0 ? [] : registry.after('')) {
    if (registry.isLeaving(passport.agent_id)) continue;
    const side = presence.isHere(passport.agent_id) ? 'here' : 'away';
    for (const capability of capabilitiesOf(resume)) offers.get(capability)?.[side].push(passport);
  }
  return new Map([...offers].map(([capability, { here, away }]) => [capability, [...here, ...away]]));
}

/** The agents that offer a capability, by its name in lower case. */
export type Offers = ReadonlyMap<string, readonly Passport[]>;

interface Offer {
  readonly here: Passport[];
  readonly away: Passport[];
}
