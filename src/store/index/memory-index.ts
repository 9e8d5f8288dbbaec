/** Implements the index in memory, for verification and simulations. */

import type { IndexEntry, OrderedIndex, RangeOptions } from './ordered-index.ts';

export class MemoryIndex implements OrderedIndex {
  #values: Map<string, Uint8Array>;
  /** The keys in order; null if a write made the order stale. */
  #sorted: readonly string[] | null = null;

  constructor(values: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#values = new Map(values);
  }

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key);
  }

  *range(from: string, to: string, { reverse = false }: RangeOptions = {}): Generator<IndexEntry, void, void> {
    this.#sorted ??= [...this.#values.keys()].sort();
    const keys = this.#sorted.slice(placeOf(this.#sorted, from), placeOf(this.#sorted, to));
    for (const key of reverse ? keys.reverse() : keys) {
      const value = this.#values.get(key);
      if (value !== undefined) yield { key, value };
    }
  }

  async write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void> {
    for (const [key, value] of changes) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, value);
    }
    this.#sorted = null;
  }

  async clear(): Promise<void> {
    this.#values = new Map();
    this.#sorted = null;
  }

  async close(): Promise<void> {}

  copy(): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#values);
  }
}

function placeOf(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
