/** What an agent says it can do, and what was seen of it. Only the newest version is kept. */

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

/** The next version: every set makes one, also one that says the same again. */
export function nextResume(before: Resume, claim: ResumeClaim, at: string): Resume {
  return {
    ...before,
    claimed_capabilities: claim.claimed_capabilities ?? before.claimed_capabilities,
    domains: claim.domains ?? before.domains,
    summary: claim.summary ?? before.summary,
    examples: claim.examples ?? before.examples,
    version: before.version + 1,
    last_updated: at,
  };
}

/** Claimed or observed, each once, in lower case: the case of letters does not matter. */
export function capabilitiesOf({ claimed_capabilities, observed }: Resume): ReadonlySet<string> {
  return new Set([...claimed_capabilities, ...Object.keys(observed)].map((known) => known.toLowerCase()));
}

export function hasCapability(resume: Resume, capability: string): boolean {
  return capabilitiesOf(resume).has(capability.toLowerCase());
}
