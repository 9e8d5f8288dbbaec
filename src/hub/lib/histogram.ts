/** Counts values by range: cheap enough for every post. */

export class Histogram {
  /** The upper ends of the ranges, ascending; values above the last are counted only in `count`. */
  readonly bounds: readonly number[];
  /** Per range, not cumulative. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.count += 1;
    this.sum += value;
    const { bounds, counts } = this;
    for (let at = 0; at < bounds.length; at++) {
      if (value > (bounds[at] ?? 0)) continue;
      counts[at] = (counts[at] ?? 0) + 1;
      return;
    }
  }
}

/** Bounds for latencies, from 0.1 ms to the point where people give up. */
export const SHORT_MS: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];
/** Bounds for the lateness of deadlines, which the hub checks once a second. */
export const LATE_MS: readonly number[] = [100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000, 300_000, 3_600_000];
