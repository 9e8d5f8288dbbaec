/** Defines the index port: byte values under ordered ASCII keys. The journal can rebuild the index. */

import { HubError } from '../../core/lib/errors.ts';

export interface OrderedIndex {
  /** Synchronous: an append must know the head of its log immediately. */
  get(key: string): Uint8Array | undefined;
  /** Keys from `from` (inclusive) to `to` (exclusive). Consume it within one tick. */
  range(from: string, to: string, options?: RangeOptions): Iterable<IndexEntry>;
  /** Applies all changes or none, even across a power cut, in the order of the calls. A null value removes the key. */
  write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface RangeOptions {
  readonly reverse?: boolean;
}

export interface IndexEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

export class DamagedIndex extends HubError {
  constructor(problem: string) {
    super('index_damaged', `the index of the data folder is damaged: ${problem}; the next start rebuilds it`);
    this.name = 'DamagedIndex';
  }
}
