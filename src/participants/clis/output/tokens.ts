/** Tokens in classes that do not overlap, whatever way a tool counts them. Unknown stays null; it never becomes 0. */

import type { Usage } from '../../agent/agent-fn.ts';
import { numberAt } from './event-line.ts';

export const unknownUsage: Usage = {
  input_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
};

/** A count of tokens: whole and not negative, or unknown. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = numberAt(value, ...path);
  return found !== null && Number.isSafeInteger(found) && found >= 0 ? found : null;
}

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
  return left === null ? right : eachClass((name) => sum(left[name], right[name]));
}

/**
 * What was used since `before`. Where a class has shrunk the counting has begun anew, and the whole is the difference;
 * a class that was unknown before has an unknown difference.
 */
export function usageSince(before: Usage, now: Usage): Usage {
  const hasShrunk = classes.some((name) => (now[name] ?? 0) < (before[name] ?? 0));
  if (hasShrunk) return now;
  return eachClass((name) => (before[name] === null ? null : without(now[name], before[name])));
}

/** A price a tool states. 0 is what tools say of models they have no price for: unknown. */
export function costOf(stated: number | null): number | null {
  return stated !== null && stated > 0 ? stated : null;
}

type UsageClass = keyof Usage;

const classes: readonly UsageClass[] = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
];

function eachClass(countOf: (name: UsageClass) => number | null): Usage {
  return {
    input_tokens: countOf('input_tokens'),
    cache_read_tokens: countOf('cache_read_tokens'),
    cache_write_tokens: countOf('cache_write_tokens'),
    output_tokens: countOf('output_tokens'),
    reasoning_tokens: countOf('reasoning_tokens'),
  };
}
