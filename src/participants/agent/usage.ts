/** Token arithmetic per class; null means unknown, not 0. Pure. */

import type { Usage } from './agent-fn.ts';

export function usageBy(count: (name: keyof Usage) => number | null): Usage {
  return {
    input_tokens: count('input_tokens'),
    cache_read_tokens: count('cache_read_tokens'),
    cache_write_tokens: count('cache_write_tokens'),
    output_tokens: count('output_tokens'),
    reasoning_tokens: count('reasoning_tokens'),
  };
}

/** The sum is unknown if either part is. */
export function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
