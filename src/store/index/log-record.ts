/** Defines what the index stores per log: its record and, until the session ends, a short row that a start reads. */

import type { LiveRow } from '../../core/ports/store.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import type { Head, Unit } from '../../core/records/session/unit.ts';
import { foldSession, headDeadline } from '../../core/state/fold-head.ts';
import type { Position } from '../journal/journal-types.ts';

export interface LogRecord {
  readonly seq: number;
  readonly epoch: number;
  /** null if the log does not begin with `session.created`. */
  readonly head: Head | null;
  /** Sort key of the log among sessions by creation. */
  readonly order: string;
  readonly damagedFrom: number | null;
  /** A repair removed all damage before this position; null if the log was never repaired. */
  readonly repairedAt: Position | null;
}

/** `lastRun`: the first seq of the last run of positions; 0 = none. */
export interface IndexedRecord extends LogRecord {
  readonly lastRun: number;
}

/** Returns the record after one more unit. For a new log the caller sets `order`. */
export function extendRecord(record: LogRecord | null, { entries, head: folded }: Unit): LogRecord {
  const head = folded ?? entries.reduce(foldSession, record?.head ?? null);
  const seq = entries.at(-1)?.envelope.seq ?? 0;
  // List the fields: this runs for every unit, and an object spread is ten times slower.
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
  // encodeRecord wrote this value.
  return decodeJson(bytes) as IndexedRecord;
}

export function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];
/** Size of the fields before the type. */
const BYTES = 10;
const CHILD = 1;
const DELEGATES = 2;

export function encodeRow(head: Head): Uint8Array {
  const row = Buffer.allocUnsafe(BYTES + Buffer.byteLength(head.type));
  row[0] = STATES.indexOf(head.state);
  row[1] = (head.parent_session_id === null ? 0 : CHILD) | (head.delegations > 0 ? DELEGATES : 0);
  row.writeDoubleLE(headDeadline(head) ?? Number.NaN, 2);
  row.write(head.type, BYTES);
  return row;
}

export function decodeRow(session_id: string, row: Uint8Array): LiveRow {
  const deadline = new DataView(row.buffer, row.byteOffset, BYTES).getFloat64(2, true);
  return {
    session_id,
    type: Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('utf8', BYTES),
    state: STATES[row[0] ?? 0] ?? 'ACTIVE',
    deadline_ms: Number.isNaN(deadline) ? null : deadline,
    is_child: ((row[1] ?? 0) & CHILD) !== 0,
    delegates: ((row[1] ?? 0) & DELEGATES) !== 0,
  };
}
