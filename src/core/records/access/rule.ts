/** The rule of a participant: with whom it may talk, and how much. The hub enforces it; without one everybody may talk to everybody. */

/** What a full inbox does with the next envelope: refuse its post, or skip a delivery and say so. */
export type Overflow = 'reject' | 'drop_oldest' | 'drop_newest';

export interface Rate {
  readonly per_minute: number;
  readonly burst: number;
}

export interface Rule {
  readonly access: {
    /** Globs of the names that may talk to it, and that it may talk to. */
    readonly inbound_from: readonly string[];
    readonly outbound_to: readonly string[];
    /** Globs of session types. */
    readonly session_types: { readonly initiate: readonly string[]; readonly accept: readonly string[] };
  };
  readonly limits: {
    /** null = as many as it likes. */
    readonly max_concurrent_sessions: number | null;
    readonly max_concurrent_tasks: number | null;
    /** For what it opens without a time of its own; 0 = none. */
    readonly session_ttl_default: string | number;
    readonly task_ttl_default: string | number;
    /** Posts over all its sessions; null = as fast as it likes. */
    readonly rate: Rate | null;
    /** How deep below a session without a parent it may open and speak. */
    readonly delegation_depth: number;
    readonly inbox: {
      /** Envelopes it has not acked, over all its sessions. */
      readonly max_pending: number;
      readonly overflow: Overflow;
      /** From how many on it is told of; null = never. */
      readonly high_water: number | null;
    };
  };
}

/** As the registry keeps it. */
export interface RuleRecord {
  readonly agent_id: string;
  readonly rule: Rule;
  /** 0 = it was never set. */
  readonly version: number;
  readonly last_updated: string | null;
}

export type Part<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** What is left out stays as it was. */
export interface RuleChange {
  readonly access?:
    | (Part<Omit<Rule['access'], 'session_types'>> & {
        readonly session_types?: Part<Rule['access']['session_types']> | undefined;
      })
    | undefined;
  readonly limits?:
    | (Part<Omit<Rule['limits'], 'inbox'>> & { readonly inbox?: Part<Rule['limits']['inbox']> | undefined })
    | undefined;
}
