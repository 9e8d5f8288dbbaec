/** Ratios on a shared machine: both sides are measured alternately, and the median pair counts. */

export interface Pairs {
  readonly ours: number;
  readonly raw: number;
  /** The median of the ratios, not the ratio of the medians. */
  readonly ratio: number;
}

export async function inPairs(count: number, raw: () => Promise<number>, ours: () => Promise<number>): Promise<Pairs> {
  const pairs: { readonly raw: number; readonly ours: number }[] = [];
  for (let i = 0; i < count; i++) {
    // Alternate who goes first, so that a slowing machine favours neither.
    const first = i % 2 === 0 ? await raw() : await ours();
    const second = i % 2 === 0 ? await ours() : await raw();
    pairs.push(i % 2 === 0 ? { raw: first, ours: second } : { raw: second, ours: first });
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    raw: median(pairs.map((pair) => pair.raw)),
    ratio: median(pairs.map((pair) => pair.ours / pair.raw)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One number for each per round. The order changes. */
export async function inTurn<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<readonly Readonly<Record<Name, number>>[]> {
  // The keys of a record are its names.
  const names = Object.keys(measures) as Name[];
  const all: Record<Name, number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const measured: Partial<Record<Name, number>> = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length] as Name;
      measured[name] = await measures[name]();
    }
    all.push(measured as Record<Name, number>);
  }
  return all;
}
