/** Frames: one JSON object per message, discriminated by `kind`. Text → frame, or a typed refusal; and back. */

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
