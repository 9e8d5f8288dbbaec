/** What an agent says it can do, and what was seen of it. Only the newest version is kept. */

import { jsonEqual } from '../../lib/json.ts';

export interface Observed {
  readonly n: number;
  readonly completed: number;
  readonly failed: number;
  readonly expired: number;
  readonly p50_latency_ms: number | null;
}

export interface Resume {
  readonly agent_id: string;
  readonly claimed_capabilities: readonly string[];
  readonly domains: readonly string[];
  readonly summary: string;
  readonly examples: readonly string[];
  /** By capability, counted by the hub from the agent's tasks; nobody can claim it. */
  readonly observed: Readonly<Record<string, Observed>>;
  /** 0 = it has never said anything. */
  readonly version: number;
  readonly last_updated: string | null;
}

/** What an agent may say itself; what is left out stays as it was. */
export interface ResumeClaim {
  readonly claimed_capabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  readonly examples?: readonly string[] | undefined;
}

export function emptyResume(agentId: string): Resume {
  return {
    agent_id: agentId,
    claimed_capabilities: [],
    domains: [],
    summary: '',
    examples: [],
    observed: {},
    version: 0,
    last_updated: null,
  };
}

/** The next version; the same one if it says nothing that was not said before. */
export function nextResume(before: Resume, claim: ResumeClaim, at: string): Resume {
  const said = {
    claimed_capabilities: distinct(claim.claimed_capabilities ?? before.claimed_capabilities),
    domains: distinct(claim.domains ?? before.domains),
    summary: claim.summary ?? before.summary,
    examples: claim.examples ?? before.examples,
  };
  const { claimed_capabilities, domains, summary, examples } = before;
  if (jsonEqual(said, { claimed_capabilities, domains, summary, examples })) return before;
  return { ...before, ...said, version: before.version + 1, last_updated: at };
}

/** The first of those that differ only in the case of their letters: they are found alike. */
function distinct(words: readonly string[]): readonly string[] {
  const folded = words.map((word) => word.toLowerCase());
  return words.filter((_, i) => folded.indexOf(folded[i] ?? '') === i);
}

/** Claimed or observed, each once, in lower case: the case of letters does not matter. */
export function capabilitiesOf({ claimed_capabilities, observed }: Resume): ReadonlySet<string> {
  return new Set([...claimed_capabilities, ...Object.keys(observed)].map((known) => known.toLowerCase()));
}

export function hasCapability(resume: Resume, capability: string): boolean {
  return capabilitiesOf(resume).has(capability.toLowerCase());
}
