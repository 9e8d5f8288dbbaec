/** What may be asked again when its answer was lost: reading, what changes nothing the second time, and what has a key. */

import type { JsonObject } from '../core/json.ts';
import type { OperationName } from '../core/operations.ts';

const SAME_AGAIN: readonly string[] = [
  'health',
  'pending_turns',
  'can_send',
  'find_agent',
  'ack_invite',
  'reject_invite',
  'add_participant',
  'leave_session',
  'return_to_session',
  'hide_participant',
  'remove_participant',
  'close_session',
  'report_progress',
] satisfies readonly OperationName[];

export function isRepeatable(op: string, params: JsonObject): boolean {
  return SAME_AGAIN.includes(op) || /^(get|list|read)_/.test(op) || typeof params.idempotency_key === 'string';
}
