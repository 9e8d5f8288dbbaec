/** Which of two rules allows less, field by field. What cannot be compared counts as looser. */

import { isCovered } from './lib/glob.ts';
import type { Overflow, Rate, Rule } from './records/access/rule.ts';
import { durationMs } from './time.ts';

/** The first field in which `next` allows more than `before`; null = it allows the same or less. */
export function looserField(next: Rule, before: Rule): string | null {
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

/** The same or tighter. */
export function isTighter(next: Rule, before: Rule): boolean {
  return looserField(next, before) === null;
}

/** null = no bound. */
function atMost(next: number | null, before: number | null): boolean {
  return before === null || (next !== null && next <= before);
}

/** 0 = no end. */
function isShorter(next: string | number, before: string | number): boolean {
  const ms = (value: string | number): number | null => durationMs(value, 'duration') || null;
  return atMost(ms(next), ms(before));
}

function isSlower(next: Rate | null, before: Rate | null): boolean {
  if (before === null) return true;
  return next !== null && next.per_minute <= before.per_minute && next.burst <= before.burst;
}

/** Refusing lets in less than dropping does; the two ways of dropping cannot be compared. */
function isStricter(next: Overflow, before: Overflow): boolean {
  return next === before || next === 'reject';
}
