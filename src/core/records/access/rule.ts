/** The rule of a participant: with whom it may talk, and how much. The hub enforces it; without one everybody may talk to everybody. */

import { reducedGlobs } from '../../lib/glob.ts';
import type { Limits } from './limits.ts';
import { durationMs } from '../../time.ts';

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

type Part<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

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

/** Of who has none of its own; the hub's limits say how long its sessions last and how much it may leave unread. */
export function openRule({ sessionTtlMs, maxPending }: Pick<Limits, 'sessionTtlMs' | 'maxPending'>): Rule {
  return {
    access: { inbound_from: ['*'], outbound_to: ['*'], session_types: { initiate: ['*'], accept: ['*'] } },
    limits: {
      max_concurrent_sessions: null,
      max_concurrent_tasks: null,
      session_ttl_default: durationText(sessionTtlMs),
      task_ttl_default: '15m',
      rate: null,
      delegation_depth: 5,
      inbox: { max_pending: maxPending, overflow: 'reject', high_water: Math.ceil(0.8 * maxPending) },
    },
  };
}

/** Globs in their one form, so that rules that allow the same read the same where that can be told. */
export function changedRule({ access, limits }: Rule, change: RuleChange): Rule {
  const { session_types: types = {}, ...names } = change.access ?? {};
  const { inbox = {}, ...numbers } = change.limits ?? {};
  return {
    access: {
      inbound_from: reducedGlobs(names.inbound_from ?? access.inbound_from),
      outbound_to: reducedGlobs(names.outbound_to ?? access.outbound_to),
      session_types: {
        initiate: reducedGlobs(types.initiate ?? access.session_types.initiate),
        accept: reducedGlobs(types.accept ?? access.session_types.accept),
      },
    },
    limits: { ...limits, ...given(numbers), inbox: { ...limits.inbox, ...given(inbox) } },
  };
}

export function sessionTtlMs({ limits }: Rule): number {
  return durationMs(limits.session_ttl_default, 'limits.session_ttl_default');
}

export function taskTtlMs({ limits }: Rule): number {
  return durationMs(limits.task_ttl_default, 'limits.task_ttl_default');
}

/** A member set to undefined is left out. */
function given<T extends object>(part: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(part).filter(([, value]) => value !== undefined);
  // The same members without those that are undefined.
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

function durationText(ms: number): string | number {
  if (ms > 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms > 0 && ms % 60_000 === 0 ? `${ms / 60_000}m` : ms / 1000;
}
