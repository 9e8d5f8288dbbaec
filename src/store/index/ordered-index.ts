/** The index port: byte values under ASCII keys, in the order of the keys. A cache: what it holds can be read from the journal again. */

import { HubError } from '../../core/lib/errors.ts';

export interface OrderedIndex {
  /** Synchronous: an append must know at once where its log is. */
  get(key: string): Uint8Array | undefined;
  /** Keys from `from` (inclusive) to `to` (exclusive); `reverse` gives the last first. Read it within one turn of the event loop. */
  range(from: string, to: string, options?: RangeOptions): Iterable<IndexEntry>;
  /** All of the changes or none, also over a power cut; null removes. Later writes come after earlier ones. */
  write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void>;
  /** Forgets everything. */
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
  constructor(what: string) {
    super('index_damaged', `the index of the data folder is damaged: ${what}; it is built anew at the next start`);
    this.name = 'DamagedIndex';
  }
}
