/**
 * Counts the lines each participant can see, folded from durable entries so that views need not recount. The totals per interval
 * are kept, so that a view of the past recounts less than one interval.
 */

import type { Json } from '../../core/lib/json.ts';
import { isViewLine } from '../../core/records/session/delivery.ts';
import { type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';
import type { Entry } from '../../core/records/session/unit.ts';

export class VisibleLineCounts {
  readonly length: number;
  /** Lines all participants see. */
  private readonly everyone: LineCount;
  /** Whispered lines, by participant that sees them; null if none, as in most sessions. */
  private listed: Map<string, LineCount> | null = null;
  /** The seqs of entries that may have changed the session or its participants. */
  private readonly changes: number[];
  private lastSeq: number;

  private constructor(length: number, everyone: LineCount, changes: number[], lastSeq: number) {
    this.length = length;
    this.everyone = everyone;
    this.changes = changes;
    this.lastSeq = lastSeq;
  }

  static empty(length: number): VisibleLineCounts {
    return new VisibleLineCounts(Math.max(1, Math.floor(length)), new LineCount(), [], 0);
  }

  /** Restores the result of `toJson` at this seq; null if incomplete or of a different interval length. */
  static from(value: Json | undefined, seq: number, length: number): VisibleLineCounts | null {
    const saved = value as unknown as Saved | null | undefined;
    if (saved == null || saved.length !== VisibleLineCounts.empty(length).length || !isSeqs(saved.changes)) return null;
    const everyone = LineCount.from(saved.everyone);
    if (everyone === null || typeof saved.listed !== 'object' || saved.listed === null) return null;
    const tally = new VisibleLineCounts(saved.length, everyone, [...saved.changes], seq);
    for (const [agentId, count] of Object.entries(saved.listed)) {
      const listed = LineCount.from(count);
      if (listed === null) return null;
      tally.listed ??= new Map();
      tally.listed.set(agentId, listed);
    }
    return tally;
  }

  toJson(): Json {
    const listed = [...(this.listed ?? [])].map(([agentId, count]) => [agentId, count.toJson()] as const);
    const { length, changes, everyone } = this;
    return { length, changes: [...changes], everyone: everyone.toJson(), listed: Object.fromEntries(listed) };
  }

  get seq(): number {
    return this.lastSeq;
  }

  /** Counts durable entries; called once for each, in order. */
  count(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      if (isViewLine(envelope.event_type)) this.countLine(envelope);
      else if (envelope.event_type.startsWith('session.')) this.changes.push(envelope.seq);
      this.lastSeq = envelope.seq;
    }
  }

  total(agentId: string): number {
    return this.everyone.total + (this.listed?.get(agentId)?.total ?? 0);
  }

  /** The total before the first entry of an interval; intervals count from 0. */
  totalBefore(interval: number, agentId: string): number {
    return this.everyone.totalBefore(interval) + (this.listed?.get(agentId)?.totalBefore(interval) ?? 0);
  }

  intervalOf(seq: number): number {
    return Math.floor((seq - 1) / this.length);
  }

  /** The ids of senders of visible lines before `seq`. */
  heardBefore(seq: number, agentId: string): ReadonlySet<string> {
    const heard = new Set<string>();
    this.everyone.heardBefore(seq, heard);
    this.listed?.get(agentId)?.heardBefore(seq, heard);
    return heard;
  }

  /** The seqs up to `seq` that changed the session; null if no later one did. */
  changesUpTo(seq: number): readonly number[] | null {
    return (this.changes.at(-1) ?? 0) <= seq ? null : this.changes.filter((change) => change <= seq);
  }

  private countLine({ audience, sender_id, seq }: Envelope): void {
    const interval = this.intervalOf(seq);
    if (audience === null) return this.everyone.add(interval, sender_id, seq);
    this.listed ??= new Map();
    for (const agentId of new Set([sender_id, ...audience])) {
      if (agentId === HUB_ID) continue;
      const count = this.listed.get(agentId) ?? new LineCount();
      this.listed.set(agentId, count);
      count.add(interval, sender_id, seq);
    }
  }
}

interface Saved {
  readonly length?: number;
  readonly changes?: unknown;
  readonly everyone?: Json;
  readonly listed?: { readonly [agentId: string]: Json } | null;
}

function isSeqs(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value[0] === 1 && value.every(Number.isSafeInteger);
}

class LineCount {
  private lines: number;
  /** Totals before interval 1, 2 and so on. If absent: 0 for interval 0, the current total after the last. */
  private readonly before: number[];
  private readonly firsts: Map<string, number>;

  constructor(lines = 0, before: number[] = [], firsts: Map<string, number> = new Map()) {
    this.lines = lines;
    this.before = before;
    this.firsts = firsts;
  }

  /** Restores the result of `toJson`; null if incomplete. */
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

  /** Runs for every message: allocates nothing, except for a sender's first line. */
  add(interval: number, senderId: string, seq: number): void {
    while (this.before.length < interval) this.before.push(this.lines);
    this.lines += 1;
    if (!this.firsts.has(senderId)) this.firsts.set(senderId, seq);
  }

  totalBefore(interval: number): number {
    return interval <= 0 ? 0 : (this.before[interval - 1] ?? this.lines);
  }

  /** Adds the senders whose first line is before `seq`. */
  heardBefore(seq: number, heard: Set<string>): void {
    for (const [senderId, first] of this.firsts) if (first < seq) heard.add(senderId);
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
