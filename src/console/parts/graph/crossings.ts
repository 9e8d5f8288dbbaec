/** The order within each layer: as few edges as possible cross. Sweeps by the mean of neighbours; the best order found is kept. */

import type { Layers } from './layers.ts';

/** Spots of each layer from left to right. */
export type Order = readonly (readonly number[])[];

export interface Neighbours {
  readonly above: readonly (readonly number[])[];
  readonly below: readonly (readonly number[])[];
}

export function findNeighbours({ spots, chains }: Layers): Neighbours {
  const above = spots.map((): number[] => []);
  const below = spots.map((): number[] => []);
  for (const chain of chains) {
    for (const [i, spot] of chain.entries()) {
      const next = chain[i + 1];
      if (next === undefined) continue;
      below[spot]?.push(next);
      above[next]?.push(spot);
    }
  }
  return { above, below };
}

const SWEEPS = 12;

export function orderOf({ spots }: Layers, neighbours: Neighbours): Order {
  let order: Order = Array.from({ length: Math.max(0, ...spots.map(({ rank }) => rank)) + 1 }, (_, rank) =>
    [...spots.keys()].filter((spot) => spots[spot]?.rank === rank),
  );
  let best = order;
  let fewest = countCrossings(order, neighbours);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    order = swept(order, neighbours, sweep % 2 === 0);
    const crossings = countCrossings(order, neighbours);
    if (crossings < fewest) [best, fewest] = [order, crossings];
  }
  return best;
}

function swept(order: Order, { above, below }: Neighbours, goesDown: boolean): Order {
  const next = [...order];
  const ranks = goesDown ? [...order.keys()].slice(1) : [...order.keys()].reverse().slice(1);
  for (const rank of ranks) {
    const places = placesIn(next[goesDown ? rank - 1 : rank + 1] ?? []);
    const layer = next[rank] ?? [];
    const wanted = layer.map((spot, i) => meanOf((goesDown ? above : below)[spot] ?? [], places) ?? i);
    next[rank] = [...layer.keys()]
      .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b)
      .map((i) => layer[i] ?? 0);
  }
  return next;
}

function meanOf(spots: readonly number[], places: ReadonlyMap<number, number>): number | null {
  if (spots.length === 0) return null;
  return spots.reduce((sum, spot) => sum + (places.get(spot) ?? 0), 0) / spots.length;
}

function placesIn(layer: readonly number[]): ReadonlyMap<number, number> {
  return new Map(layer.map((spot, i) => [spot, i]));
}

export function countCrossings(order: Order, { below }: Neighbours): number {
  let crossings = 0;
  for (const [rank, layer] of order.entries()) {
    const places = placesIn(order[rank + 1] ?? []);
    const ends = layer.flatMap((spot) => (below[spot] ?? []).map((to) => places.get(to) ?? 0).sort((a, b) => a - b));
    crossings += inversions(ends, places.size);
  }
  return crossings;
}

/** How many pairs are in the wrong order, counted with a tree of sums. */
function inversions(values: readonly number[], range: number): number {
  const sums = new Array<number>(range + 1).fill(0);
  let found = 0;
  for (const [seen, value] of values.entries()) {
    let notAbove = 0;
    for (let i = value + 1; i > 0; i -= i & -i) notAbove += sums[i] ?? 0;
    found += seen - notAbove;
    for (let i = value + 1; i <= range; i += i & -i) sums[i] = (sums[i] ?? 0) + 1;
  }
  return found;
}
