/** The few bytes a start reads of each session that has not ended. */

import { type Head, headDeadline } from '../../core/state/fold-head.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import type { LiveRow } from '../../core/ports/store.ts';

const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];
/** Before the type. */
const BYTES = 10;
/** Bits of the second byte. */
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
