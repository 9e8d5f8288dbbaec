/** Tokens in classes that do not overlap, whatever way a tool counts them. Unknown stays null; it never becomes 0. */

import type { Usage } from '../../agent/agent-fn.ts';
import { usageBy } from '../../agent/usage.ts';

export const unknownUsage: Usage = usageBy(() => null);

/** What is left of a count that includes the others. */
export function without(count: number | null, ...parts: readonly (number | null)[]): number | null {
  if (count === null) return null;
  return Math.max(
    0,
    parts.reduce<number>((left, part) => left - (part ?? 0), count),
  );
}

/** The sum of what is known; unknown when nothing is. */
export function sum(...counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

export function addUsage(left: Usage | null, right: Usage): Usage {
  return left === null ? right : usageBy((name) => sum(left[name], right[name]));
}

/**
 * What was used since `before`. Where a class has shrunk the counting has begun anew, and the whole is the difference;
 * a class that was unknown before has an unknown difference.
 */
export function usageSince(before: Usage, now: Usage): Usage {
  const hasShrunk = Object.entries(before).some(([name, count]) => (now[name as keyof Usage] ?? 0) < (count ?? 0));
  if (hasShrunk) return now;
  return usageBy((name) => (before[name] === null ? null : without(now[name], before[name])));
}

/** A price a tool states. 0 is what tools say of models they have no price for: unknown. */
export function costOf(stated: number | null): number | null {
  return stated !== null && stated > 0 ? stated : null;
}
