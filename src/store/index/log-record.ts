/** What the index keeps of one log: up to where it goes, the summary of its session, and what happened to it. */

import type { Unit } from '../../core/records/session/envelope.ts';
import type { Head } from '../../core/state/fold-head.ts';
import { foldSession } from '../../core/store-rules.ts';
import type { Position } from '../journal/journal-types.ts';

export interface LogRecord {
  readonly seq: number;
  readonly epoch: number;
  /** null = the log does not begin with `session.created`: it is no session. */
  readonly head: Head | null;
  /** Its place among the sessions by creation. */
  readonly order: string;
  readonly damagedFrom: number | null;
  /** Damage before this place was dealt with by a repair. */
  readonly repairedAt: Position | null;
}

/** With the first seq of its last run of places; 0 = it has none. */
export interface IndexedRecord extends LogRecord {
  readonly lastRun: number;
}

/** The log after one more unit. The order of one that begins is known when its place is. */
export function extended(record: LogRecord | null, { entries, head: folded }: Unit): LogRecord {
  const head = folded ?? entries.reduce(foldSession, record?.head ?? null);
  const seq = entries.at(-1)?.envelope.seq ?? 0;
  // Written out: it is made for every unit, and a spread costs ten times as much.
  if (record !== null) {
    const { epoch, order, damagedFrom, repairedAt } = record;
    return { seq, epoch, head, order, damagedFrom, repairedAt };
  }
  return { seq, epoch: 1, head, order: '', damagedFrom: null, repairedAt: null };
}

export function encodeRecord(record: LogRecord, lastRun: number): Uint8Array {
  const indexed: IndexedRecord = { ...record, lastRun };
  return Buffer.from(JSON.stringify(indexed));
}

export function decodeRecord(bytes: Uint8Array): IndexedRecord {
  // Written by encodeRecord; the index is a cache of our own.
  return decodeJson(bytes) as IndexedRecord;
}

export function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}
