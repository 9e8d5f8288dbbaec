/** Converts tools' token counts to disjoint classes. An unknown count is null, never 0. */

import type { Usage } from '../../agent/agent-fn.ts';
import { usageBy } from '../../agent/usage.ts';

export const unknownUsage: Usage = usageBy(() => null);

/** Subtracts the parts included in a count. */
export function without(count: number | null, ...parts: readonly (number | null)[]): number | null {
  if (count === null) return null;
  return Math.max(
    0,
    parts.reduce<number>((left, part) => left - (part ?? 0), count),
  );
}

/** The sum of the known counts; null if none is known. */
export function sum(...counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

export function addUsage(left: Usage | null, right: Usage): Usage {
  return left === null ? right : usageBy((name) => sum(left[name], right[name]));
}

/** Usage since `before`. A class that shrank means the tool restarted its count; unknown classes stay unknown. */
export function usageSince(before: Usage, now: Usage): Usage {
  const hasShrunk = Object.entries(before).some(([name, count]) => (now[name as keyof Usage] ?? 0) < (count ?? 0));
  if (hasShrunk) return now;
  return usageBy((name) => (before[name] === null ? null : without(now[name], before[name])));
}

/** The cost that a tool reports; null for 0, which tools report for models without a price. */
export function costOf(stated: number | null): number | null {
  return stated !== null && stated > 0 ? stated : null;
}
