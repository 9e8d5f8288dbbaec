/** Updates the index lists when a session gets a new record. */

import { msFromIso } from '../../core/lib/time.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import {
  childKey,
  endedKey,
  liveKey,
  liveParticipantKey,
  orderKey,
  participantKey,
  unarchivedKey,
} from '../index/index-keys.ts';
import { encodeRow, type LogRecord } from '../index/log-record.ts';

const NOTHING: Buffer = Buffer.alloc(0);

type Put = (key: string, value: Uint8Array | null) => void;

export function listChanges(before: LogRecord | null, after: LogRecord, put: Put): void {
  const { head, order } = after;
  if (head === null) return;
  const known = before?.head ?? null;
  const id = Buffer.from(head.session_id);
  if (known === null) {
    put(orderKey(order), id);
  }
  for (const agentId of Object.keys(head.members)) {
    if (known !== null && Object.hasOwn(known.members, agentId)) continue;
    put(participantKey(agentId, order), id);
    if (!isTerminal(head.state)) put(liveParticipantKey(agentId, order), id);
  }
  if (isTerminal(head.state)) {
    if (known === null || !isTerminal(known.state)) putEnded(head, order, id, put);
  } else {
    putLive(known, after, head, put);
  }
}

function putLive(known: Head | null, { damagedFrom }: LogRecord, head: Head, put: Put): void {
  const { session_id, parent_session_id } = head;
  if (known === null && parent_session_id !== null) put(childKey(parent_session_id, session_id), NOTHING);
  if (damagedFrom !== null) put(liveKey(session_id), null);
  else if (known?.state !== head.state || isSooner(head, known) || isMarkedAnew(head, known))
    put(liveKey(session_id), encodeRow(head));
}

/** True if the deadline is earlier. A later one is not written: an early row costs only one check at the next start. */
function isSooner(head: Head, known: Head): boolean {
  return (head.due_at ?? Number.POSITIVE_INFINITY) < (known.due_at ?? Number.POSITIVE_INFINITY);
}

/** True if delegations began or ended: a start checks delegations only in sessions marked as having some. */
function isMarkedAnew(head: Head, known: Head): boolean {
  return head.delegations > 0 !== known.delegations > 0;
}

function putEnded(head: Head, order: string, id: Buffer, put: Put): void {
  const { session_id, parent_session_id, closed_at, members } = head;
  put(liveKey(session_id), null);
  if (parent_session_id !== null) put(childKey(parent_session_id, session_id), null);
  const endedMs = closed_at === null ? 0 : msFromIso(closed_at);
  put(unarchivedKey(endedMs, session_id), id);
  for (const agentId of Object.keys(members)) {
    put(liveParticipantKey(agentId, order), null);
    put(endedKey(agentId, endedMs, order), id);
  }
}

/** Removes a session from every list. */
export function unlist({ head, order }: LogRecord, put: Put): void {
  if (head === null) return;
  const { session_id, parent_session_id, closed_at, members } = head;
  put(orderKey(order), null);
  if (closed_at !== null) put(unarchivedKey(msFromIso(closed_at), session_id), null);
  put(liveKey(session_id), null);
  if (parent_session_id !== null) put(childKey(parent_session_id, session_id), null);
  for (const agentId of Object.keys(members)) {
    put(participantKey(agentId, order), null);
    put(liveParticipantKey(agentId, order), null);
    if (closed_at !== null) put(endedKey(agentId, msFromIso(closed_at), order), null);
  }
}
