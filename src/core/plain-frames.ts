/**
 * A shortcut to the frames that come by far the most often, a request and a receipt: their schemas cost more than reading their text.
 * What is in order for the shortcut is in order for the schema, with the same result; of anything else it says nothing, and the schema
 * decides and finds the words.
 */

import type { ReceiptFrame, RequestFrame } from './protocol/frames/frame-codec.ts';
import { isWellFormed, type JsonObject } from './lib/json.ts';

export const ID_LENGTH = 64;
export const OP_LENGTH = 64;
export const REQUEST_ID_LENGTH = 128;

type Members = Readonly<Record<string, unknown>>;

/** What the schema would make of it; null = ask the schema. */
export function plainFrame(kind: unknown, value: unknown): RequestFrame | ReceiptFrame | null {
  // Only what was read from text comes here: members are what they seem to be.
  if (kind === 'request') return plainRequest(value as Members);
  return kind === 'receipt' ? plainReceipt(value as Members) : null;
}

/** Without a deadline, which few have. */
function plainRequest({ request_id, op, params, as, deadline_ms }: Members): RequestFrame | null {
  if (!isText(request_id, REQUEST_ID_LENGTH) || !isText(op, OP_LENGTH) || !isObject(params)) return null;
  if (deadline_ms !== undefined) return null;
  if (as === undefined) return { kind: 'request', request_id, op, params };
  return isText(as, ID_LENGTH) ? { kind: 'request', request_id, op, params, as } : null;
}

/** An ack, or word of what was seen: neither has a reason. */
function plainReceipt({ recipient_id, session_id, seq, status, reason }: Members): ReceiptFrame | null {
  if (!isText(recipient_id, ID_LENGTH) || !isText(session_id, ID_LENGTH)) return null;
  if (!(typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0)) return null;
  if ((status !== 'ack' && status !== 'seen') || reason !== undefined) return null;
  return { kind: 'receipt', recipient_id, session_id, seq, status };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= most && isWellFormed(value);
}

/** Only the outer shape, as the schema looks at it. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
