/** Schemas of access rules. */

import { z } from 'zod';
import { isCovered, reduceGlobs } from '../../lib/glob.ts';
import { integerBetween, oneOf, record, text } from '../../lib/schema.ts';
import { DURATION, durationMs, isDuration } from '../../lib/time.ts';
import { count, generatedId, time } from '../fields.ts';
import type { Limits } from './limits.ts';
import type { Overflow, Rate, Rule, RuleChange, RuleRecord } from './rule.ts';

const MOST = 1_000_000_000;

const globs: z.ZodType<readonly string[]> = z
  .array(text(64), { error: 'a list of names, in which * is any text and ? one character' })
  .max(256, 'at most 256 names');

const most = integerBetween(0, MOST).nullable();

const duration = z.custom<string | number>(isDuration, DURATION);

const rate = record<Rate>({ per_minute: integerBetween(1, 100_000), burst: integerBetween(1, 100_000) }).nullable();

const overflow = oneOf<Overflow>({ reject: 1, drop_oldest: 1, drop_newest: 1 }, 'reject, drop_oldest or drop_newest');

const types = { initiate: globs, accept: globs };

const access = { inbound_from: globs, outbound_to: globs };

const inbox = { max_pending: integerBetween(1, MOST), overflow, high_water: integerBetween(1, MOST).nullable() };

const limits = {
  max_concurrent_sessions: most,
  max_concurrent_tasks: most,
  session_ttl_default: duration,
  task_ttl_default: duration,
  rate,
  delegation_depth: integerBetween(0, 1000),
};

/** Schemas of the members of a change, for schemas that extend it. */
export const ruleChangeMembers: { readonly [Part in keyof Required<RuleChange>]: z.ZodType<RuleChange[Part]> } = {
  access: z
    .strictObject({ ...access, session_types: z.strictObject(types).partial() })
    .partial()
    .optional(),
  limits: z
    .strictObject({ ...limits, inbox: z.strictObject(inbox).partial() })
    .partial()
    .optional(),
};

export const ruleChange: z.ZodType<RuleChange> = z.strictObject(ruleChangeMembers);

export const ruleRecord: z.ZodType<RuleRecord> = record<RuleRecord>({
  agent_id: generatedId,
  rule: record<Rule>({
    access: record<Rule['access']>({ ...access, session_types: record<Rule['access']['session_types']>(types) }),
    limits: record<Rule['limits']>({ ...limits, inbox: record<Rule['limits']['inbox']>(inbox) }),
  }),
  version: count,
  last_updated: time.nullable(),
});

/** The rule of an identity without one. The hub's limits set its session TTL and inbox size. */
export function defaultRule({ sessionTtlMs, maxPending }: Pick<Limits, 'sessionTtlMs' | 'maxPending'>): Rule {
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

/** Applies a change. Reduces globs, so that equivalent rules compare equal where that is decidable. */
export function applyRuleChange({ access, limits }: Rule, change: RuleChange): Rule {
  const { session_types: types = {}, ...names } = change.access ?? {};
  const { inbox = {}, ...numbers } = change.limits ?? {};
  return {
    access: {
      inbound_from: reduceGlobs(names.inbound_from ?? access.inbound_from),
      outbound_to: reduceGlobs(names.outbound_to ?? access.outbound_to),
      session_types: {
        initiate: reduceGlobs(types.initiate ?? access.session_types.initiate),
        accept: reduceGlobs(types.accept ?? access.session_types.accept),
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

function given<T extends object>(part: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(part).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

function durationText(ms: number): string | number {
  if (ms > 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms > 0 && ms % 60_000 === 0 ? `${ms / 60_000}m` : ms / 1000;
}

/** The first field in which `next` allows more than `before`; null = none. */
export function findLooserField(next: Rule, before: Rule): string | null {
  const [a, b] = [next.access, before.access];
  const [l, m] = [next.limits, before.limits];
  const holds: readonly (readonly [field: string, holds: boolean])[] = [
    ['access.inbound_from', isCovered(a.inbound_from, b.inbound_from)],
    ['access.outbound_to', isCovered(a.outbound_to, b.outbound_to)],
    ['access.session_types.initiate', isCovered(a.session_types.initiate, b.session_types.initiate)],
    ['access.session_types.accept', isCovered(a.session_types.accept, b.session_types.accept)],
    ['limits.max_concurrent_sessions', atMost(l.max_concurrent_sessions, m.max_concurrent_sessions)],
    ['limits.max_concurrent_tasks', atMost(l.max_concurrent_tasks, m.max_concurrent_tasks)],
    ['limits.session_ttl_default', isShorter(l.session_ttl_default, m.session_ttl_default)],
    ['limits.task_ttl_default', isShorter(l.task_ttl_default, m.task_ttl_default)],
    ['limits.rate', isSlower(l.rate, m.rate)],
    ['limits.delegation_depth', l.delegation_depth <= m.delegation_depth],
    ['limits.inbox.max_pending', l.inbox.max_pending <= m.inbox.max_pending],
    ['limits.inbox.overflow', isStricter(l.inbox.overflow, m.inbox.overflow)],
    ['limits.inbox.high_water', atMost(l.inbox.high_water, m.inbox.high_water)],
  ];
  return holds.find(([, is]) => !is)?.[0] ?? null;
}

/** Whether `next` is at most `before`; null = no limit. */
function atMost(next: number | null, before: number | null): boolean {
  return before === null || (next !== null && next <= before);
}

/** Whether `next` ends no later than `before`; 0 = no end. */
function isShorter(next: string | number, before: string | number): boolean {
  const ms = (value: string | number): number | null => durationMs(value, 'duration') || null;
  return atMost(ms(next), ms(before));
}

function isSlower(next: Rate | null, before: Rate | null): boolean {
  if (before === null) return true;
  return next !== null && next.per_minute <= before.per_minute && next.burst <= before.burst;
}

/** Rejecting admits less than dropping; the two ways of dropping are not comparable. */
function isStricter(next: Overflow, before: Overflow): boolean {
  return next === before || next === 'reject';
}
