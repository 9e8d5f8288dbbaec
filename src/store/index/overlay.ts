/** Combines the index with the changes not yet written to it; readers see the merged values. */

import { bucketOf } from './index-keys.ts';
import type { IndexEntry, OrderedIndex, RangeOptions } from './ordered-index.ts';

type Changes = ReadonlyMap<string, Uint8Array | null>;

export class Overlay {
  readonly #base: OrderedIndex;
  #fresh = new Waiting();
  #writing = new Waiting();

  constructor(base: OrderedIndex) {
    this.#base = base;
  }

  get size(): number {
    return this.#fresh.size + this.#writing.size;
  }

  get(key: string): Uint8Array | undefined {
    let waiting = this.#fresh.get(key);
    if (waiting === undefined) waiting = this.#writing.get(key);
    return waiting === undefined ? this.#base.get(key) : (waiting ?? undefined);
  }

  /** A null value removes the key. */
  set(key: string, value: Uint8Array | null): void {
    this.#fresh.set(key, value);
  }

  /** Keys from `from` (inclusive) to `to` (exclusive) of one bucket. Consume it within one tick. */
  *range(from: string, to: string, { reverse = false }: RangeOptions = {}): Generator<IndexEntry, void, void> {
    const waiting = this.#waitingBetween(from, to);
    if (waiting.size === 0) return yield* this.#base.range(from, to, { reverse });
    const sorted = [...waiting].map(([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1));
    if (reverse) sorted.reverse();
    const isBefore = (a: string, b: string) => (reverse ? a > b : a < b);
    let next = 0;
    for (const entry of this.#base.range(from, to, { reverse })) {
      for (
        let change = sorted[next];
        change !== undefined && isBefore(change.key, entry.key);
        change = sorted[++next]
      ) {
        if (change.value !== null) yield { key: change.key, value: change.value };
      }
      if (!waiting.has(entry.key)) yield entry;
    }
    for (const { key, value } of sorted.slice(next)) if (value !== null) yield { key, value };
  }

  /** Writes all pending changes atomically; one call at a time. */
  async write(): Promise<void> {
    const writing = this.#fresh;
    this.#writing = writing;
    this.#fresh = new Waiting();
    try {
      await this.#base.write(writing.all());
    } catch (thrown) {
      // Keep the failed changes: the next write also moves the checkpoint and must include them.
      for (const [key, value] of writing.all()) if (this.#fresh.get(key) === undefined) this.#fresh.set(key, value);
      throw thrown;
    } finally {
      this.#writing = new Waiting();
    }
  }

  async clear(): Promise<void> {
    this.#fresh = new Waiting();
    await this.#base.clear();
  }

  close(): Promise<void> {
    return this.#base.close();
  }

  #waitingBetween(from: string, to: string): Changes {
    const found = new Map<string, Uint8Array | null>();
    for (const waiting of [this.#writing, this.#fresh]) {
      for (const [key, value] of waiting.near(from)) if (key >= from && key < to) found.set(key, value);
    }
    return found;
  }
}

/** Groups changes by bucket, so that a range read visits only the changes in its bucket. */
class Waiting {
  readonly #buckets = new Map<string, Map<string, Uint8Array | null>>();
  size = 0;

  get(key: string): Uint8Array | null | undefined {
    return this.#buckets.get(bucketOf(key))?.get(key);
  }

  set(key: string, value: Uint8Array | null): void {
    const name = bucketOf(key);
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new Map();
      this.#buckets.set(name, bucket);
    }
    const before = bucket.size;
    bucket.set(key, value);
    this.size += bucket.size - before;
  }

  near(key: string): Changes {
    return this.#buckets.get(bucketOf(key)) ?? NOTHING;
  }

  all(): Changes {
    const changes = new Map<string, Uint8Array | null>();
    for (const bucket of this.#buckets.values()) for (const [key, value] of bucket) changes.set(key, value);
    return changes;
  }
}

const NOTHING: Changes = new Map();
