/** Frames: one JSON object per message, discriminated by `kind`. */

import type { ErrorDetails, WireCode } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Envelope, Turn } from '../../records/session/envelope.ts';

export const PROTOCOL_VERSION = 1;

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
  /** The identity that asks (name or agent id); optional if the connection has only one. */
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

/** A live fragment of text that is not yet an envelope: forwarded or dropped, never stored. */
export interface DeltaFrame {
  readonly kind: 'delta';
  readonly session_id: string;
  readonly sender_id: string;
  /** The `causation_id` of the envelope that will follow. */
  readonly turn_id: string;
  /** Recipients by id; null = everyone. The first delta of a turn decides for the whole turn. */
  readonly audience: readonly string[] | null;
  /** Counts from 0; a missing index is a dropped delta. */
  readonly index: number;
  readonly text: string;
}

/** A delta as the hub forwards it to one recipient. */
export interface ForwardedDelta extends DeltaFrame {
  readonly recipient_id: string;
  /** Set if the recipient observes the session. */
  readonly observed?: true;
}

export interface PingFrame {
  readonly kind: 'ping';
  /** Asks for the hub's open items: the pong repeats this id. */
  readonly id?: string | undefined;
}

/** Limits a peer can rely on. */
export interface WelcomeLimits {
  readonly max_frame_bytes: number;
  readonly max_event_bytes: number;
  /** Maximum unacked deliveries per stream. */
  readonly window: number;
  readonly max_open_requests: number;
  readonly max_subscriptions: number;
  /** Interval of the hub's pings; null if this link has no pings. */
  readonly ping_ms: number | null;
}
/** The hub's open items on this connection when it read the ping, used to detect lost frames. */
export interface PongFrame {
  readonly kind: 'pong';
  readonly id?: string;
  /** Unanswered requests. */
  readonly open?: readonly string[];
  /** Deliveries that wait for a receipt, except nacked ones, which are sent again anyway. */
  readonly unacked?: number;
  /** Unanswered invites. */
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
  /** Optional features of this hub. */
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
  /** The previous seq in the recipient's stream; 0 = first; null = outside the stream (an invite), no receipt. */
  readonly prev_seq: number | null;
  readonly turn: Turn | null;
  readonly attempt?: number | undefined;
  /** The first delivery on this binding of a stream whose earlier envelopes were acked. */
  readonly starts?: true | undefined;
  /** The recipient delegated this session: the envelope belongs to the delegation, not to a handler. */
  readonly delegated?: true | undefined;
  /** The recipient observes the session: it gets every envelope, without receipts. */
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

/** Name of the feature that marks a stream with `starts` if it does not begin with its session. */
export const STREAM_STARTS = 'stream_starts';

/** Reasons after which a client does not reconnect automatically. */
export const FINAL_GOODBYES: readonly GoodbyeReason[] = ['replaced', 'unauthorized', 'unregistered'];
