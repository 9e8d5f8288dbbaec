/** Stores that count reads, or whose logs are damaged. */

import type { LiveRow, StoredHead } from '../../src/core/ports/store.ts';
import type { Entry } from '../../src/core/records/session/unit.ts';
import { type FaultyStore as Base, FaultyStore } from '../../src/testing/doubles/faulty-store.ts';

/** Counts entries, heads and lists read, the longest read, and the most concurrent reads. */
export class CountingStore extends FaultyStore {
  readonly asked = { entries: 0, longest: 0, heads: 0, lists: 0 };
  most = 0;
  private underWay = 0;

  override async read(...args: Parameters<Base['read']>): ReturnType<Base['read']> {
    const entries = await this.counted(super.read(...args));
    this.asked.entries += entries.length;
    this.asked.longest = Math.max(this.asked.longest, entries.length);
    return entries;
  }

  override head(sessionId: string): Promise<StoredHead | null> {
    this.asked.heads += 1;
    return this.counted(super.head(sessionId));
  }

  override list(...query: Parameters<Base['list']>): ReturnType<Base['list']> {
    this.asked.lists += 1;
    return super.list(...query);
  }

  private async counted<T>(call: Promise<T>): Promise<T> {
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    // As slow as a disk, so that reads of one tick are concurrent.
    await new Promise((resolve) => setImmediate(resolve));
    this.underWay -= 1;
    return call;
  }
}

/** From a seq on a log cannot be read or written, once the store knows it. */
export class DamagedStore extends FaultyStore {
  private readonly damage = new Map<string, number>();
  /** Damage not found yet. */
  private readonly hidden = new Map<string, number>();

  damageFrom(sessionId: string, seq: number): void {
    this.damage.set(sessionId, seq);
  }

  /** The store finds it when that part is read. */
  hideDamageFrom(sessionId: string, seq: number): void {
    this.hidden.set(sessionId, seq);
  }

  /** Damage survives. */
  override crash(...keep: Parameters<Base['crash']>): this {
    const next = super.crash(...keep);
    for (const [sessionId, seq] of this.damage) next.damageFrom(sessionId, seq);
    return next;
  }

  override async head(sessionId: string): Promise<StoredHead | null> {
    const stored = await super.head(sessionId);
    return stored === null ? null : this.marked(stored);
  }

  override async list(...query: Parameters<Base['list']>): ReturnType<Base['list']> {
    const page = await super.list(...query);
    return { ...page, heads: page.heads.map((stored) => this.marked(stored)) };
  }

  override async *liveRows(): AsyncGenerator<readonly LiveRow[], void, void> {
    for await (const rows of super.liveRows()) yield rows.filter(({ session_id }) => !this.damage.has(session_id));
  }

  override async read(...args: Parameters<Base['read']>): Promise<readonly Entry[]> {
    const [logId] = args;
    const entries = await super.read(...args);
    const from = this.damage.get(logId) ?? this.hidden.get(logId) ?? Number.POSITIVE_INFINITY;
    const sound = entries.filter(({ envelope }) => envelope.seq < from);
    if (sound.length < entries.length) this.damage.set(logId, from);
    return sound;
  }

  override append(...args: Parameters<Base['append']>): ReturnType<Base['append']> {
    const [logId] = args;
    if (this.damage.has(logId)) this.conflict(logId);
    return super.append(...args);
  }

  private marked(stored: StoredHead): StoredHead {
    return { ...stored, damaged_from: this.damage.get(stored.head.session_id) ?? null };
  }
}
