/** A page of the agents that fit, by name. */

import { fitsQuery, foundAgent, type KnownAgent } from '../core/find-agent.ts';
import type { Params, Result } from '../core/operations.ts';
import { hasCapability } from '../core/resume.ts';
import { countWithin, PAGE } from './count-within.ts';
import type { HubParts } from './parts.ts';

/** Agents looked at for one page, so that a search nobody fits does not hold up everyone else; `next` goes on from there. */
const MOST_LOOKED_AT = 2000;

type Found = Result<'find_agent'>;

export function findAgents(parts: HubParts, { after = '', limit = PAGE, ...query }: Params<'find_agent'>): Found {
  const { registry, bindings, limits } = parts;
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
    const bound = bindings.isBound(agent.passport.agent_id);
    if (fitsQuery(agent, bound, query)) agents.push(foundAgent(agent, bound));
  }
  const fitting = countWithin(agents, limits.maxResponseBytes);
  if (fitting === agents.length) return { agents, next };
  const shown = agents.slice(0, fitting);
  return { agents: shown, next: shown.at(-1)?.name ?? null };
}

/** Of those who offer it and are not `taken`: who is connected before who is not, then by name. */
export function firstWithCapability(
  { registry, bindings }: HubParts,
  capability: string,
  taken: ReadonlySet<string>,
): KnownAgent | null {
  let away: KnownAgent | null = null;
  for (const agent of registry.after('')) {
    const { agent_id } = agent.passport;
    if (taken.has(agent_id) || registry.isLeaving(agent_id) || !hasCapability(agent.resume, capability)) continue;
    if (bindings.isBound(agent_id)) return agent;
    away ??= agent;
  }
  return away;
}
