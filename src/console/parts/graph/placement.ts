/** Places the spots of each layer: their order, with few crossings, and their distance from the left. */

import type { Layers, Spot } from './layers.ts';

/** The spots of each layer from left to right. */
type Order = readonly (readonly number[])[];

type Neighbours = Readonly<ReturnType<typeof findNeighbours>>;

export function findNeighbours({ spots, chains }: Layers) {
  const above = spots.map((): number[] => []);
  const below = spots.map((): number[] => []);
  for (const chain of chains) {
    for (const [i, next] of chain.slice(1).entries()) {
      const spot = chain[i] ?? 0;
      below[spot]?.push(next);
      above[next]?.push(spot);
    }
  }
  return { above, below };
}

const SWEEPS = 12;

/** Sorts each layer several times by the mean position of its neighbours; keeps the order with the fewest crossings. */
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

function swept(order: Order, { above, below }: Neighbours, isDownward: boolean): Order {
  const next = [...order];
  const ranks = isDownward ? [...order.keys()].slice(1) : [...order.keys()].reverse().slice(1);
  for (const rank of ranks) {
    const places = placesIn(next[isDownward ? rank - 1 : rank + 1] ?? []);
    const layer = next[rank] ?? [];
    const wanted = layer.map((spot, i) => mean((isDownward ? above : below)[spot], (one) => places.get(one)) ?? i);
    next[rank] = [...layer.keys()]
      .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b)
      .map((i) => layer[i] ?? 0);
  }
  return next;
}

function mean(spots: readonly number[] | undefined, positionOf: (spot: number) => number | undefined): number | null {
  if (spots === undefined || spots.length === 0) return null;
  return spots.reduce((sum, spot) => sum + (positionOf(spot) ?? 0), 0) / spots.length;
}

function placesIn(layer: readonly number[]): ReadonlyMap<number, number> {
  return new Map(layer.map((spot, i) => [spot, i]));
}

function countCrossings(order: Order, { below }: Neighbours): number {
  let crossings = 0;
  for (const [rank, layer] of order.entries()) {
    const places = placesIn(order[rank + 1] ?? []);
    const ends = layer.flatMap((spot) => (below[spot] ?? []).map((to) => places.get(to) ?? 0).sort((a, b) => a - b));
    crossings += inversions(ends, places.size);
  }
  return crossings;
}

/** The number of pairs in the wrong order, counted with a Fenwick tree. */
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

const GAP = 20;
const PASSES = 10;

/** The horizontal middle of each spot. Every layer keeps its order, and its spots do not touch. */
export function spread(spots: readonly Spot[], order: Order, { above, below }: Neighbours): readonly number[] {
  const x = new Array<number>(spots.length).fill(0);
  const towards = (others: readonly number[] | undefined) => mean(others, (spot) => x[spot]);
  for (const layer of order) place(layer, spots, x, () => null);
  for (let pass = 0; pass < PASSES; pass++) {
    const isDownward = pass % 2 === 0;
    for (const layer of isDownward ? order : order.toReversed()) {
      place(layer, spots, x, (spot) => towards((isDownward ? above : below)[spot]));
    }
  }
  for (const layer of order) {
    place(layer, spots, x, (spot) => towards([...(above[spot] ?? []), ...(below[spot] ?? [])]));
  }
  return x;
}

/**
 * Places a layer by least squares with minimum distances: subtracts the distances, then pools every run of
 * decreasing positions at its mean.
 */
function place(
  layer: readonly number[],
  spots: readonly Spot[],
  x: number[],
  wanted: (spot: number) => number | null,
): void {
  const offsets: number[] = [];
  for (const [i, spot] of layer.entries()) {
    const before = layer[i - 1];
    const distance = before === undefined ? 0 : (spots[before]?.right ?? 0) + GAP + (spots[spot]?.left ?? 0);
    offsets.push((offsets[i - 1] ?? 0) + distance);
  }
  const pools: { sum: number; weight: number; count: number }[] = [];
  for (const [i, spot] of layer.entries()) {
    // Passing lines weigh more than nodes, so they stay straight.
    const weight = spots[spot]?.isNode === true ? 1 : 3;
    let pool = { sum: ((wanted(spot) ?? x[spot] ?? 0) - (offsets[i] ?? 0)) * weight, weight, count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.sum / last.weight >= pool.sum / pool.weight; ) {
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, count: last.count + pool.count };
      pools.pop();
      last = pools.at(-1);
    }
    pools.push(pool);
  }
  let i = 0;
  for (const { sum, weight, count } of pools) {
    for (const end = i + count; i < end; i++) x[layer[i] ?? 0] = sum / weight + (offsets[i] ?? 0);
  }
}
