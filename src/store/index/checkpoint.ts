/** Up to where the journal is in the index, and what is counted over all logs. */

import type { Position } from '../journal/journal-types.ts';
import { CHECKPOINT_KEY } from './index-keys.ts';
import { decodeJson } from './log-record.ts';
import type { OrderedIndex } from './ordered-index.ts';

/** Grows when the keys or values of the index change their meaning: an index of another format is built anew. */
const INDEX_FORMAT = 2;

export interface Checkpoint {
  readonly format: number;
  /** The journal this is an index of. */
  readonly journalId: string;
  /** null = the beginning. */
  readonly at: Position | null;
  readonly newestEnvelopeId: string | null;
  readonly audited: number;
  /** Where the journal was restored from a backup, and the epoch of all that was there. */
  readonly restoredAt: readonly { readonly order: string; readonly epoch: number }[];
  /** The newest file of the archive that is in here; 0 = none. One that is not was written just before a crash. */
  readonly archive: number;
  /** Segments that still hold units of sessions which are in the archive. */
  readonly leftovers: readonly number[];
  /** Files were being replaced when this was written: the places in the index may be those of files that are gone. */
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

/** null = the index is empty, or of something else. */
export function readCheckpoint(index: OrderedIndex, journalId: string): Checkpoint | null {
  const bytes = index.get(CHECKPOINT_KEY);
  if (bytes === undefined) return null;
  // Written by encodeCheckpoint, or by another version of it.
  const checkpoint = decodeJson(bytes) as Checkpoint;
  const isOurs = checkpoint.format === INDEX_FORMAT && checkpoint.journalId === journalId;
  return isOurs && !checkpoint.moving ? checkpoint : null;
}
