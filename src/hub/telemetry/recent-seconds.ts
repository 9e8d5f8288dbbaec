/** Keeps the hub's last minute in numbers: differences between samples of its counters, taken once a second. */

import { isoFromMs } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { FigurePoint } from '../../core/protocol/operations/console-hub.ts';
import type { Meter } from './meter.ts';

const POINTS = 60;

interface Sample {
  readonly atMs: number;
  readonly posts: number;
  readonly delivered: number;
  readonly refused: number;
  readonly acks: number;
  readonly ackCounts: readonly number[];
}

export class RecentSeconds {
  private readonly clock: Clock;
  private readonly meter: Meter;
  private last: Sample;
  private readonly points: FigurePoint[] = [];

  constructor(clock: Clock, meter: Meter) {
    this.clock = clock;
    this.meter = meter;
    this.last = this.read();
  }

  get series(): readonly FigurePoint[] {
    return this.points;
  }

  /** Called about once a second; repeats within one millisecond are ignored. */
  sample(): void {
    const now = this.read();
    const seconds = (now.atMs - this.last.atMs) / 1000;
    if (seconds <= 0) return;
    this.points.push(this.between(this.last, now, seconds));
    if (this.points.length > POINTS) this.points.shift();
    this.last = now;
  }

  private between(before: Sample, now: Sample, seconds: number): FigurePoint {
    const rate = (count: number): number => Math.round((count / seconds) * 10) / 10;
    const counts = now.ackCounts.map((count, at) => count - (before.ackCounts[at] ?? 0));
    const acks = now.acks - before.acks;
    return {
      at: isoFromMs(this.clock.now()),
      posts_per_s: rate(now.posts - before.posts),
      delivered_per_s: rate(now.delivered - before.delivered),
      refused_per_s: rate(now.refused - before.refused),
      ack_p50_ms: quantile(this.meter.ackMs.bounds, counts, acks, 0.5),
      ack_p99_ms: quantile(this.meter.ackMs.bounds, counts, acks, 0.99),
    };
  }

  private read(): Sample {
    const { posted, delivered, refusedTotal, ackMs } = this.meter;
    const { count: acks, counts } = ackMs;
    const atMs = this.clock.monotonic();
    return { atMs, posts: posted, delivered, refused: refusedTotal, acks, ackCounts: [...counts] };
  }
}

/** Interpolates within a range; above the last range, returns its upper end. null if there are no values. */
function quantile(bounds: readonly number[], counts: readonly number[], total: number, part: number): number | null {
  if (total <= 0) return null;
  const rank = part * total;
  let below = 0;
  for (const [at, bound] of bounds.entries()) {
    const count = counts[at] ?? 0;
    if (count > 0 && below + count >= rank) {
      const from = bounds[at - 1] ?? 0;
      return Math.round((from + ((rank - below) / count) * (bound - from)) * 1000) / 1000;
    }
    below += count;
  }
  return bounds.at(-1) ?? null;
}
