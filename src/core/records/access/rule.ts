/** The access rule of an identity: its allowed peers and its limits. Without one everybody may talk to everybody. */

/** The hub's reaction to a full inbox: reject the post, or skip a delivery and report a gap. */
export type Overflow = 'reject' | 'drop_oldest' | 'drop_newest';

export interface Rate {
  readonly per_minute: number;
  readonly burst: number;
}

export interface Rule {
  readonly access: {
    /** Globs of names: the names that may talk to the identity (`inbound_from`), and to whom it may talk (`outbound_to`). */
    readonly inbound_from: readonly string[];
    readonly outbound_to: readonly string[];
    /** Globs of session types. */
    readonly session_types: { readonly initiate: readonly string[]; readonly accept: readonly string[] };
  };
  readonly limits: {
    /** null = no limit. */
    readonly max_concurrent_sessions: number | null;
    readonly max_concurrent_tasks: number | null;
    /** Default TTL of the sessions and tasks that the identity opens; 0 = none. */
    readonly session_ttl_default: string | number;
    readonly task_ttl_default: string | number;
    /** Posts over all its sessions; null = no limit. */
    readonly rate: Rate | null;
    /** Maximum depth below a root session at which it may open sessions and post. */
    readonly delegation_depth: number;
    readonly inbox: {
      /** Unacked envelopes over all its sessions. */
      readonly max_pending: number;
      readonly overflow: Overflow;
      /** Number of unacked envelopes from which the hub warns the recipient; null = never. */
      readonly high_water: number | null;
    };
  };
}

/** The record in the registry. */
export interface RuleRecord {
  readonly agent_id: string;
  readonly rule: Rule;
  /** 0 if the rule was never set. */
  readonly version: number;
  readonly last_updated: string | null;
}

type Part<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** Members left out stay unchanged. */
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
