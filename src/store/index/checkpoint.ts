/** How much of the journal the index covers, and the store-wide counters. */

import type { Position } from '../journal/journal-types.ts';
import { CHECKPOINT_KEY } from './index-keys.ts';
import { decodeJson } from './log-record.ts';
import type { OrderedIndex } from './ordered-index.ts';

/** Raise when the meaning of keys or values changes: an index of another format is rebuilt. */
const INDEX_FORMAT = 2;

export interface Checkpoint {
  readonly format: number;
  readonly journalId: string;
  /** null = the beginning. */
  readonly at: Position | null;
  readonly newestEnvelopeId: string | null;
  readonly audited: number;
  /** Where restores happened, and the epoch each gave to all existing logs. */
  readonly restoredAt: readonly { readonly order: string; readonly epoch: number }[];
  /** The newest archive file included here; 0 = none. A newer one was written just before a crash. */
  readonly archive: number;
  /** Segments that still hold units of archived sessions. */
  readonly leftovers: readonly number[];
  /** Files were being replaced when this was written: positions may point into deleted files. */
  readonly moving: boolean;
}

export function emptyCheckpoint(journalId: string): Checkpoint {
  return {
    format: INDEX_FORMAT,
    journalId,
    at: null,
    newestEnvelopeId: null,
    audited: 0,
    restoredAt: [],
    archive: 0,
    leftovers: [],
    moving: false,
  };
}

export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return Buffer.from(JSON.stringify(checkpoint));
}

/** null = the index is empty, outdated or belongs to another journal. */
export function readCheckpoint(index: OrderedIndex, journalId: string): Checkpoint | null {
  const bytes = index.get(CHECKPOINT_KEY);
  if (bytes === undefined) return null;
  // Written by encodeCheckpoint, perhaps of another version.
  const checkpoint = decodeJson(bytes) as Checkpoint;
  const isOurs = checkpoint.format === INDEX_FORMAT && checkpoint.journalId === journalId;
  return isOurs && !checkpoint.moving ? checkpoint : null;
}
