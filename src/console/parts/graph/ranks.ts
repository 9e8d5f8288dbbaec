/** Which layer each node is in: below everything that leads to it. */

import type { Directed } from './acyclic.ts';

/** Nodes are in even layers, words of edges in the odd ones between them. */
export function ranksOf(count: number, edges: readonly Directed[]): readonly number[] {
  const ranks = new Array<number>(count).fill(0);
  const missing = new Array<number>(count).fill(0);
  for (const { lower } of edges) missing[lower] = (missing[lower] ?? 0) + 1;
  const below = Array.from({ length: count }, (): number[] => []);
  for (const { upper, lower } of edges) below[upper]?.push(lower);
  const ready = [...missing.keys()].filter((node) => missing[node] === 0);
  for (let node = ready.shift(); node !== undefined; node = ready.shift()) {
    for (const lower of below[node] ?? []) {
      ranks[lower] = Math.max(ranks[lower] ?? 0, (ranks[node] ?? 0) + 2);
      missing[lower] = (missing[lower] ?? 0) - 1;
      if (missing[lower] === 0) ready.push(lower);
    }
  }
  return ranks;
}
