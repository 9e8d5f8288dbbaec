/** A number of lines that only grows: its total, what it was before each interval, and the first line of each sender. */

import type { Json } from '../core/lib/json.ts';

export class LineCount {
  private lines: number;
  /** Before interval 1, 2, … : before the first one it is 0, and after the last one that has lines it is the total. */
  private readonly before: number[];
  /** By sender, the seq of its first line. */
  private readonly firsts: Map<string, number>;

  constructor(lines = 0, before: number[] = [], firsts: Map<string, number> = new Map()) {
    this.lines = lines;
    this.before = before;
    this.firsts = firsts;
  }

  /** What `toJson` gave; null = it is not whole. */
  static from(value: unknown): LineCount | null {
    const { lines, before, firsts } = (value ?? {}) as { lines?: unknown; before?: unknown; firsts?: unknown };
    if (!isCount(lines) || !Array.isArray(before) || !before.every(isCount)) return null;
    if (typeof firsts !== 'object' || firsts === null) return null;
    const seqs = Object.entries(firsts);
    const isWhole = seqs.every(([, seq]) => isCount(seq)) && seqs.length <= lines && (before.at(-1) ?? 0) <= lines;
    return isWhole ? new LineCount(lines, [...before], new Map(seqs)) : null;
  }

  toJson(): Json {
    return { lines: this.lines, before: [...this.before], firsts: Object.fromEntries(this.firsts) };
  }

  get total(): number {
    return this.lines;
  }

  /** Runs for every message: it makes no object, but for a sender's first line. */
  add(interval: number, senderId: string, seq: number): void {
    while (this.before.length < interval) this.before.push(this.lines);
    this.lines += 1;
    if (!this.firsts.has(senderId)) this.firsts.set(senderId, seq);
  }

  totalBefore(interval: number): number {
    return interval <= 0 ? 0 : (this.before[interval - 1] ?? this.lines);
  }

  /** Adds to `heard` those whose first line is before `seq`. */
  heardBefore(seq: number, heard: Set<string>): void {
    for (const [senderId, first] of this.firsts) if (first < seq) heard.add(senderId);
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
