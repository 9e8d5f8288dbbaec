/** Frames: one JSON object per message, discriminated by `kind`. Text → frame, or a typed refusal; and back. */

import { z } from 'zod';
import type { PostAnswer } from '../../decisions/admit.ts';
import type { Envelope, Turn } from '../../records/session/envelope.ts';
import { type ErrorDetails, type WireCode, WireError } from '../../lib/errors.ts';
import { badValue, describe, isWellFormed, type JsonObject, utf8Bytes } from '../../lib/json.ts';
import { ID_LENGTH, OP_LENGTH, plainFrame, REQUEST_ID_LENGTH } from '../../plain-frames.ts';
import { audience, sessionId } from '../../records/session/record-schemas.ts';
import { anyObject, schemaOf, text, whole } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { quoted, turnText } from '../../state/serialize.ts';

export const PROTOCOL_VERSION = 1;

/** Frames longer than any bound are not read just to find out who sent them. */
const MAX_PEEKED = 8 * 1024 * 1024;

export interface ResumePoint {
  readonly seq: number;
  readonly epoch: number;
}

export interface HelloFrame {
  readonly kind: 'hello';
  readonly protocol: number;
  readonly name: string;
  readonly auth: JsonObject;
  readonly resume?: Readonly<Record<string, ResumePoint>> | undefined;
}

export interface RequestFrame {
  readonly kind: 'request';
  readonly request_id: string;
  readonly op: string;
  readonly params: JsonObject;
  /** Which of the connection's identities asks (name or agent id); may be absent where there is only one. */
  readonly as?: string | undefined;
  readonly deadline_ms?: number | undefined;
}

export interface ReceiptFrame {
  readonly kind: 'receipt';
  readonly recipient_id: string;
  readonly session_id: string;
  readonly seq: number;
  readonly status: 'ack' | 'nack' | 'seen';
  readonly reason?: string | undefined;
}

/** Part of a text that is still being written. A hint: it is forwarded or dropped, and never kept. */
export interface DeltaFrame {
  readonly kind: 'delta';
  readonly session_id: string;
  readonly sender_id: string;
  /** The causation_id of the envelope it will become. */
  readonly turn_id: string;
  /** Who hears it, by id; null = everyone. What the first delta of a turn says holds for all of it. */
  readonly audience: readonly string[] | null;
  /** From 0 on, one more for each: a hole is a delta that was dropped. */
  readonly index: number;
  readonly text: string;
}

/** The same on its way to somebody who hears it. */
export interface ForwardedDelta extends DeltaFrame {
  readonly recipient_id: string;
  /** It comes because the recipient observes the session. */
  readonly observed?: true;
}

export interface PingFrame {
  readonly kind: 'ping';
  /** Asks for the hub's side of things: the pong has the same id, and says what is open. */
  readonly id?: string | undefined;
}

/** What a peer may count on, and how much. */
export interface WelcomeLimits {
  readonly max_frame_bytes: number;
  readonly max_event_bytes: number;
  /** Deliveries of one stream that may be unacked. */
  readonly window: number;
  readonly max_open_requests: number;
  readonly max_subscriptions: number;
  /** How often the hub pings; null = this link needs none. */
  readonly ping_ms: number | null;
}
/** What the hub waits for or works on, on this connection, when it read the ping: what is missing here was lost on the way. */
export interface PongFrame {
  readonly kind: 'pong';
  readonly id?: string;
  /** Requests that are not answered. */
  readonly open?: readonly string[];
  /** Deliveries that wait for a receipt, without those that were nacked and come again by themselves. */
  readonly unacked?: number;
  /** Invites that wait for an answer. */
  readonly invites?: number;
}

export type ClientFrame = HelloFrame | RequestFrame | ReceiptFrame | DeltaFrame | PingFrame | { readonly kind: 'pong' };

export interface WelcomeFrame {
  readonly kind: 'welcome';
  readonly name: string;
  readonly agent_id: string;
  readonly endpoint_id: string;
  readonly hub_id: string;
  readonly hub_time: string;
  readonly limits: WelcomeLimits;
  /** What this hub can beyond what every hub can. */
  readonly features: readonly string[];
}

export interface WireErrorRecord {
  readonly code: WireCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

export type ResponseFrame =
  | { readonly kind: 'response'; readonly request_id: string; readonly ok: true; readonly result: unknown }
  | { readonly kind: 'response'; readonly request_id: string; readonly ok: false; readonly error: WireErrorRecord };

export interface NotifyFrame {
  readonly kind: 'notify';
  readonly recipient_id: string;
  readonly envelope: Envelope;
  readonly epoch: number;
  /** The previous envelope deliverable to this recipient; 0 = first; null = outside the stream (an invite), no receipt. */
  readonly prev_seq: number | null;
  readonly turn: Turn | null;
  readonly attempt?: number | undefined;
  /** The first of its stream on this binding, though not of its session: what came before was acked. */
  readonly starts?: true | undefined;
  /** The recipient delegated this session: what is said in it is the delegation's, and for no handler. */
  readonly delegated?: true | undefined;
  /** It comes because the recipient observes the session: every envelope does, and none gets a receipt. */
  readonly observed?: true | undefined;
}

export type GapReason = 'epoch' | 'overflow' | 'expired' | 'retention' | 'archived';

export interface GapFrame {
  readonly kind: 'gap';
  readonly recipient_id: string;
  readonly session_id: string;
  readonly epoch: number;
  readonly from_seq: number;
  readonly to_seq: number;
  readonly reason: GapReason;
}

export type GoodbyeReason = 'replaced' | 'unauthorized' | 'unregistered' | 'shutdown' | 'bad_frames' | 'slow_consumer';

export interface GoodbyeFrame {
  readonly kind: 'goodbye';
  readonly reason: GoodbyeReason;
  readonly recipient_id?: string;
  readonly retry_after_ms?: number;
}

export interface ErrorFrame {
  readonly kind: 'error';
  readonly error: WireErrorRecord;
}

export type HubFrame =
  | WelcomeFrame
  | ResponseFrame
  | NotifyFrame
  | ForwardedDelta
  | GapFrame
  | GoodbyeFrame
  | ErrorFrame
  | PongFrame
  | { readonly kind: 'ping' };

/** In `welcome.features`: a stream that does not begin with its session is marked `starts`. */
export const STREAM_STARTS = 'stream_starts';

/** The reasons after which a client does not come back by itself. */
export const FINAL_GOODBYES: readonly GoodbyeReason[] = ['replaced', 'unauthorized', 'unregistered'];

const id = text(ID_LENGTH);
const seq = whole(0, Number.MAX_SAFE_INTEGER);
/** More than a turn may say in a second. */
const MOST_DELTA = 65_536;

/** zod would drop a `__proto__` key without a word. */
const resumePoints = z
  .custom<object>((points) => !isRecord(points) || !Object.hasOwn(points, '__proto__'), 'ids of sessions as keys')
  .pipe(z.record(z.string(), z.object({ seq, epoch: seq })));

/** By the kind of frame. */
export const clientFrames: ReadonlyMap<string, Schema<ClientFrame>> = new Map<string, Schema<ClientFrame>>([
  [
    'hello',
    schemaOf(
      z.object({
        kind: z.literal('hello'),
        protocol: z.number({ error: 'a protocol version' }),
        name: text(64),
        auth: anyObject(),
        resume: resumePoints.optional(),
      }),
    ),
  ],
  [
    'request',
    schemaOf(
      z.object({
        kind: z.literal('request'),
        request_id: text(REQUEST_ID_LENGTH),
        op: text(OP_LENGTH),
        params: anyObject(),
        as: id.optional(),
        deadline_ms: whole(1, 86_400_000).optional(),
      }),
    ),
  ],
  [
    'receipt',
    schemaOf(
      z.object({
        kind: z.literal('receipt'),
        recipient_id: id,
        session_id: id,
        seq,
        status: z.enum(['ack', 'nack', 'seen'], { error: 'ack, nack or seen' }),
        reason: text(1024, 0).optional(),
      }),
    ),
  ],
  [
    'delta',
    schemaOf(
      z.object({
        kind: z.literal('delta'),
        session_id: sessionId,
        sender_id: id,
        turn_id: text(128),
        audience: audience.nullable(),
        index: seq,
        text: text(MOST_DELTA, 0),
      }),
    ),
  ],
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
  if (!isRecord(value)) throw noObject(typeof value === 'string' ? 'a text' : describe(value));
  const kind: unknown = 'kind' in value ? value.kind : undefined;
  const plain = plainFrame(kind, value);
  if (plain !== null) return plain;
  const schema = typeof kind === 'string' ? clientFrames.get(kind) : undefined;
  if (schema === undefined) throw badValue('frame.kind', `one of ${[...clientFrames.keys()].join(', ')}`, kind);
  return schema.parse(value, 'frame');
}

/** The id of a request that does not parse, if it can be told: its sender waits for an answer. */
export function requestIdIn(message: string): string | null {
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

/** What a client reads. The hub is trusted to send what it says; only the text and the kind are checked. */
export function parseHubFrame(message: string): HubFrame {
  const value = parseJson(message);
  if (typeof value !== 'object' || value === null || !('kind' in value) || typeof value.kind !== 'string') {
    throw badValue('frame', 'an object with a kind', value);
  }
  // The kinds are closed by the protocol version agreed in hello; unknown ones are ignored by the reader's switch.
  return value as HubFrame;
}

export function encodeFrame(frame: HubFrame | ClientFrame): string {
  return JSON.stringify(frame);
}

/** A notify frame around an envelope that is already text: an accepted envelope is serialised once. */
export function encodeNotify(frame: Omit<NotifyFrame, 'kind' | 'envelope'>, envelopeText: string): string {
  const { recipient_id, epoch, prev_seq, turn, attempt, starts, delegated, observed } = frame;
  const marks = `${starts === undefined ? '' : ',"starts":true'}${delegated === undefined ? '' : ',"delegated":true'}${observed === undefined ? '' : ',"observed":true'}`;
  const more = `${attempt === undefined ? '' : `,"attempt":${attempt}`}${marks}`;
  return `{"kind":"notify","recipient_id":${JSON.stringify(recipient_id)},"epoch":${epoch},"prev_seq":${prev_seq},"turn":${turnText(turn)}${more},"envelope":${envelopeText}}`;
}

/** The answer to a post as JSON.stringify would write it: there is one for every post. Ids and times are the hub's, and need no escape. */
export function encodePosted(requestId: string, answer: PostAnswer): string {
  const { envelope_id, seq, created_at, turn, duplicate } = answer;
  const again = duplicate === undefined ? '' : ',"duplicate":true';
  return `{"kind":"response","request_id":${quoted(requestId)},"ok":true,"result":{"envelope_id":"${envelope_id}","seq":${seq},"created_at":"${created_at}","turn":${turnText(turn)}${again}}}`;
}

/** A delta as text for one of those who hear it; `body` is the delta itself, which is the same for all. */
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

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch (cause) {
    throw noObject(`${message.length} characters`, cause);
  }
}

/** A text is not shown: it may hold a credential. */
function noObject(received: string, cause?: unknown): WireError {
  const details = { field: 'frame', expected: 'one JSON object', received };
  return new WireError('bad_frame', `frame: expected one JSON object, got ${received}`, details, { cause });
}
