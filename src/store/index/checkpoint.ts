/** Stores how much of the journal the index covers, and the store-wide counters. */

import type { Position } from '../journal/journal-types.ts';
import { CHECKPOINT_KEY } from './index-keys.ts';
import { decodeJson } from './log-record.ts';
import type { OrderedIndex } from './ordered-index.ts';

/** Increase when the meaning of keys or values changes: an index with a different format is rebuilt. */
const INDEX_FORMAT = 2;

export interface Checkpoint {
  readonly format: number;
  readonly journalId: string;
  /** Where the part of the journal covered by the index ends; null if it covers nothing. */
  readonly at: Position | null;
  readonly newestEnvelopeId: string | null;
  readonly audited: number;
  /** The position of each restore, and the epoch it gave to all existing logs. */
  readonly restoredAt: readonly { readonly order: string; readonly epoch: number }[];
  /** The newest archive file covered by the index; 0 = none. A newer file was written just before a crash. */
  readonly archive: number;
  /** Segments that still hold units of archived sessions. */
  readonly leftovers: readonly number[];
  /** True if files were being replaced at this checkpoint: positions may point into deleted files. */
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

/** Returns null if the index is empty, outdated, inconsistent or belongs to another journal. */
export function readCheckpoint(index: OrderedIndex, journalId: string): Checkpoint | null {
  const bytes = index.get(CHECKPOINT_KEY);
  if (bytes === undefined) return null;
  // encodeCheckpoint wrote this, perhaps in a different version.
  const checkpoint = decodeJson(bytes) as Checkpoint;
  const isOurs = checkpoint.format === INDEX_FORMAT && checkpoint.journalId === journalId;
  return isOurs && !checkpoint.moving ? checkpoint : null;
}
