/** Where things of a layer stand from left to right: as near as possible to where they would like to be, in order, apart. */

import type { Neighbours, Order } from './crossings.ts';
import type { Spot } from './layers.ts';

const GAP = 20;
const PASSES = 10;

/** The middle of each spot. Every layer keeps its order, and no two spots of it touch. */
export function spread(spots: readonly Spot[], order: Order, { above, below }: Neighbours): readonly number[] {
  const x = new Array<number>(spots.length).fill(0);
  for (const layer of order) place(layer, spots, x, () => null);
  for (let pass = 0; pass < PASSES; pass++) {
    const goesDown = pass % 2 === 0;
    const layers = goesDown ? order : [...order].reverse();
    for (const layer of layers) place(layer, spots, x, (spot) => mean((goesDown ? above : below)[spot] ?? [], x));
  }
  for (const layer of order) {
    place(layer, spots, x, (spot) => mean([...(above[spot] ?? []), ...(below[spot] ?? [])], x));
  }
  return x;
}

function mean(others: readonly number[], x: readonly number[]): number | null {
  return others.length === 0 ? null : others.reduce((sum, one) => sum + (x[one] ?? 0), 0) / others.length;
}

/**
 * The least squares under "each at least so far right of the one before": with the distances taken off that is a list
 * that must not fall, and those that would are put together at their mean.
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
    // What passes through is held straight before what can stand anywhere.
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
