/** Parses and encodes frames. */

import { z } from 'zod';
import type { PostAnswer } from '../../decisions/admit.ts';
import { WireError } from '../../lib/errors.ts';
import { describeValue, invalidValueError, isWellFormed, utf8Bytes } from '../../lib/json.ts';
import { anyObject, integerBetween, isAnyObject, isTextUpTo, schemaOf, text } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { audience, sessionId } from '../../records/fields.ts';
import { jsonString, serializeTurn } from '../../state/serialize.ts';
import type { ClientFrame, HubFrame, NotifyFrame, ReceiptFrame, RequestFrame, WireErrorRecord } from './frames.ts';

const ID_LENGTH = 64;
const OP_LENGTH = 64;
const REQUEST_ID_LENGTH = 128;

/** Frames above this size are not parsed again just to find their request id. */
const MAX_PEEKED = 8 * 1024 * 1024;

const id = text(ID_LENGTH);

const seq = integerBetween(0, Number.MAX_SAFE_INTEGER);

/** A longer delta would exceed the default rate limit of a turn, 64 KiB per second. */
const MAX_DELTA = 65_536;

/** Rejects `__proto__`, which zod would drop silently. */
const resumePoints = z
  .custom<object>((points) => !isAnyObject(points) || !Object.hasOwn(points, '__proto__'), 'ids of sessions as keys')
  .pipe(z.record(z.string(), z.object({ seq, epoch: seq })));

const helloFrame = z.object({
  kind: z.literal('hello'),
  protocol: z.number({ error: 'a protocol version' }),
  name: text(64),
  auth: anyObject(),
  resume: resumePoints.optional(),
});
const requestFrame = z.object({
  kind: z.literal('request'),
  request_id: text(REQUEST_ID_LENGTH),
  op: text(OP_LENGTH),
  params: anyObject(),
  as: id.optional(),
  deadline_ms: integerBetween(1, 86_400_000).optional(),
});
const receiptFrame = z.object({
  kind: z.literal('receipt'),
  recipient_id: id,
  session_id: id,
  seq,
  status: z.enum(['ack', 'nack', 'seen'], { error: 'ack, nack or seen' }),
  reason: text(1024, 0).optional(),
});
const deltaFrame = z.object({
  kind: z.literal('delta'),
  session_id: sessionId,
  sender_id: id,
  turn_id: text(128),
  audience: audience.nullable(),
  index: seq,
  text: text(MAX_DELTA, 0),
});

export const clientFrames: ReadonlyMap<string, Schema<ClientFrame>> = new Map<string, Schema<ClientFrame>>([
  ['hello', schemaOf(helloFrame)],
  ['request', schemaOf(requestFrame)],
  ['receipt', schemaOf(receiptFrame)],
  ['delta', schemaOf(deltaFrame)],
  ['ping', schemaOf(z.object({ kind: z.literal('ping'), id: id.optional() }))],
  ['pong', schemaOf(z.object({ kind: z.literal('pong') }))],
]);

export function parseClientFrame(message: string, maxBytes: number): ClientFrame {
  if (message.length > maxBytes || (message.length * 3 > maxBytes && utf8Bytes(message) > maxBytes)) {
    throw new WireError('too_large', `frame: at most ${maxBytes} bytes are allowed`, {
      field: 'frame',
      expected: `at most ${maxBytes} bytes`,
      received: `${utf8Bytes(message)} bytes`,
    });
  }
  const value = parseJson(message);
  if (!isAnyObject(value)) throw noObject(typeof value === 'string' ? 'a text' : describeValue(value));
  const kind: unknown = 'kind' in value ? value.kind : undefined;
  const plain = parseFrameFast(kind, value);
  if (plain !== null) return plain;
  const schema = typeof kind === 'string' ? clientFrames.get(kind) : undefined;
  if (schema === undefined)
    throw invalidValueError('frame.kind', `one of ${[...clientFrames.keys()].join(', ')}`, kind);
  return schema.parse(value, 'frame');
}

/** Finds the id of an invalid request, whose sender waits for an answer; null if the id is unreadable. */
export function findRequestId(message: string): string | null {
  if (message.length > MAX_PEEKED) return null;
  try {
    const value: unknown = JSON.parse(message);
    if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'request') return null;
    const id: unknown = 'request_id' in value ? value.request_id : undefined;
    return typeof id === 'string' && id.length >= 1 && id.length <= 128 && isWellFormed(id) ? id : null;
  } catch {
    return null;
  }
}

/** Parses a frame from the hub. Clients trust the hub, so only JSON and `kind` are checked. */
export function parseHubFrame(message: string): HubFrame {
  const value = parseJson(message);
  if (typeof value !== 'object' || value === null || !('kind' in value) || typeof value.kind !== 'string') {
    throw invalidValueError('frame', 'an object with a kind', value);
  }
  // Clients ignore unknown kinds of frames.
  return value as HubFrame;
}

export function encodeFrame(frame: HubFrame | ClientFrame): string {
  return JSON.stringify(frame);
}

/** Encodes a notify frame around an envelope that is already text: an accepted envelope is serialized once. */
export function encodeNotify(frame: Omit<NotifyFrame, 'kind' | 'envelope'>, envelopeText: string): string {
  const { recipient_id, epoch, prev_seq, turn, attempt, starts, delegated, observed } = frame;
  const marks = `${starts === undefined ? '' : ',"starts":true'}${delegated === undefined ? '' : ',"delegated":true'}${observed === undefined ? '' : ',"observed":true'}`;
  const more = `${attempt === undefined ? '' : `,"attempt":${attempt}`}${marks}`;
  return `{"kind":"notify","recipient_id":${JSON.stringify(recipient_id)},"epoch":${epoch},"prev_seq":${prev_seq},"turn":${serializeTurn(turn)}${more},"envelope":${envelopeText}}`;
}

/** Encodes the answer to a post like JSON.stringify, but faster. Ids and times need no escapes. */
export function encodePosted(requestId: string, answer: PostAnswer): string {
  const { envelope_id, seq, created_at, turn, duplicate } = answer;
  const again = duplicate === undefined ? '' : ',"duplicate":true';
  return `{"kind":"response","request_id":${jsonString(requestId)},"ok":true,"result":{"envelope_id":"${envelope_id}","seq":${seq},"created_at":"${created_at}","turn":${serializeTurn(turn)}${again}}}`;
}

/** Encodes a delta for one recipient; `body` is the part that all recipients share. */
export function encodeDelta(recipientId: string, isObserved: boolean, body: string): string {
  const observed = isObserved ? '"observed":true,' : '';
  return `{"kind":"delta","recipient_id":"${recipientId}",${observed}${body.slice(1)}`;
}

export function errorRecord(error: WireError): WireErrorRecord {
  const { code, message, details } = error;
  return details === undefined ? { code, message } : { code, message, details };
}

export function errorFromRecord({ code, message, details }: WireErrorRecord): WireError {
  return new WireError(code, message, details);
}

function parseJson(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch (cause) {
    throw noObject(`${message.length} characters`, cause);
  }
}

/** Never shows the received text: it may contain a credential. */
function noObject(received: string, cause?: unknown): WireError {
  const details = { field: 'frame', expected: 'one JSON object', received };
  return new WireError('bad_frame', `frame: expected one JSON object, got ${received}`, details, { cause });
}

type Members = Readonly<Record<string, unknown>>;

/** Parses frequent frames without the schema, with the same result; null = use the schema. */
export function parseFrameFast(kind: unknown, value: unknown): RequestFrame | ReceiptFrame | null {
  // The value comes from JSON.parse, so its members are plain.
  if (kind === 'request') return plainRequest(value as Members);
  return kind === 'receipt' ? plainReceipt(value as Members) : null;
}

/** Parses a request without a deadline, as most requests are. */
function plainRequest({ request_id, op, params, as, deadline_ms }: Members): RequestFrame | null {
  if (!isTextUpTo(request_id, REQUEST_ID_LENGTH) || !isTextUpTo(op, OP_LENGTH) || !isAnyObject(params)) return null;
  if (deadline_ms !== undefined) return null;
  if (as === undefined) return { kind: 'request', request_id, op, params };
  return isTextUpTo(as, ID_LENGTH) ? { kind: 'request', request_id, op, params, as } : null;
}

/** Parses an `ack` or `seen` without a reason. */
function plainReceipt({ recipient_id, session_id, seq, status, reason }: Members): ReceiptFrame | null {
  if (!isTextUpTo(recipient_id, ID_LENGTH) || !isTextUpTo(session_id, ID_LENGTH)) return null;
  if (!(typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0)) return null;
  if ((status !== 'ack' && status !== 'seen') || reason !== undefined) return null;
  return { kind: 'receipt', recipient_id, session_id, seq, status };
}
