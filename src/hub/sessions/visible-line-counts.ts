/**
 * How many lines of a session each participant can see, and since when from whom: folded from what is durable, so that a
 * view need not recount. The totals at every so many entries are kept too: a view of the past recounts less than that.
 */

import { type Entry, type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';
import type { Json } from '../../core/lib/json.ts';
import { isLine } from '../../core/lines.ts';
import { LineCount } from '../line-count.ts';

export class Tally {
  /** Entries of one interval. */
  readonly length: number;
  /** What everybody sees. */
  private readonly everyone: LineCount;
  /** What was said to some only, by who can see it; null = nothing yet, as in most sessions. */
  private listed: Map<string, LineCount> | null = null;
  /** The seqs of all entries that may have changed the session or its participants. */
  private readonly changes: number[];
  private lastSeq: number;

  private constructor(length: number, everyone: LineCount, changes: number[], lastSeq: number) {
    this.length = length;
    this.everyone = everyone;
    this.changes = changes;
    this.lastSeq = lastSeq;
  }

  static empty(length: number): Tally {
    return new Tally(Math.max(1, Math.floor(length)), new LineCount(), [], 0);
  }

  /** What `toJson` gave at this seq; null = it is not whole, or has other intervals. */
  static from(value: Json | undefined, seq: number, length: number): Tally | null {
    const saved = value as unknown as Saved | null | undefined;
    if (saved == null || saved.length !== Tally.empty(length).length || !isSeqs(saved.changes)) return null;
    const everyone = LineCount.from(saved.everyone);
    if (everyone === null || typeof saved.listed !== 'object' || saved.listed === null) return null;
    const tally = new Tally(saved.length, everyone, [...saved.changes], seq);
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

  /** The last entry that was counted. */
  get seq(): number {
    return this.lastSeq;
  }

  /** Called for everything that becomes durable, once and in order. */
  count(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      if (isLine(envelope.event_type)) this.countLine(envelope);
      else if (envelope.event_type.startsWith('session.')) this.changes.push(envelope.seq);
      this.lastSeq = envelope.seq;
    }
  }

  /** The lines the participant can see, of all that was counted. */
  total(agentId: string): number {
    return this.everyone.total + (this.listed?.get(agentId)?.total ?? 0);
  }

  /** The same before the first entry of an interval; the first interval is 0. */
  totalBefore(interval: number, agentId: string): number {
    return this.everyone.totalBefore(interval) + (this.listed?.get(agentId)?.totalBefore(interval) ?? 0);
  }

  /** The interval of an entry. */
  intervalOf(seq: number): number {
    return Math.floor((seq - 1) / this.length);
  }

  /** Who had said something the participant can see before `seq`, by id. */
  heardBefore(seq: number, agentId: string): ReadonlySet<string> {
    const heard = new Set<string>();
    this.everyone.heardBefore(seq, heard);
    this.listed?.get(agentId)?.heardBefore(seq, heard);
    return heard;
  }

  /** The entries up to `seq` that made the session and its participants what they were then; null = they are so still. */
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
