/** Defines the deliveries and events of a connection, and the reasons for its end. */

import type { WireError } from '../../core/lib/errors.ts';
import { isWellFormed } from '../../core/lib/json.ts';
import type {
  DeltaFrame,
  ForwardedDelta,
  GapFrame,
  GoodbyeReason,
  NotifyFrame,
} from '../../core/protocol/frames/frames.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';

/** An envelope to handle, then to ack or nack once. */
export interface Delivery {
  readonly envelope: Envelope;
  /** The turn after this envelope. */
  readonly turn: Turn | null;
  /** True if this identity delegated the session. */
  readonly delegated: boolean;
  ack(): void;
  /** Asks the hub to deliver the envelope again later. */
  nack(reason: string): void;
}

/** Why a connection ended. After a final goodbye the client must not reconnect automatically. */
export type ConnectionEnd =
  | { readonly by: 'caller' }
  | { readonly by: 'link' }
  | {
      readonly by: 'hub';
      readonly reason: GoodbyeReason;
      readonly final: boolean;
      readonly retry_after_ms: number | null;
    }
  | { readonly by: 'refusal'; readonly error: WireError };

/** Callbacks, called in the order of events. They must not throw. */
export interface ConnectionEvents {
  delivered(delivery: Delivery): void;
  /** Called for an invite, or the end of a session never joined: outside the stream, without a receipt. */
  told(envelope: Envelope): void;
  gap(gap: GapFrame): void;
  /** Called for an envelope of an observed session: outside every stream, without a receipt. */
  observed(frame: NotifyFrame): void;
  /** The hub ended the observation of this session. */
  unobserved(sessionId: string, error: WireError): void;
  showed(delta: ForwardedDelta): void;
  /** Called after each welcome. The binding may be new, so observed sessions must subscribe again. */
  welcomed(): void;
  /** Returns the number of invites being answered. */
  openInvites(): number;
  /** The history of the session was rewritten: discard its state. */
  forgotten(sessionId: string): void;
  /** The hub became unreachable, or reachable again; then streams continue where they stopped. */
  reached(isReached: boolean): void;
  ended(end: ConnectionEnd): void;
}

/** A delta without its sender. */
export type DeltaDraft = Omit<DeltaFrame, 'kind' | 'sender_id'>;

export function describeEnd(end: ConnectionEnd): string {
  switch (end.by) {
    case 'caller':
      return 'the client was closed';
    case 'link':
      return 'the link to the hub was closed';
    case 'hub':
      return `the hub said goodbye (${end.reason})`;
    case 'refusal':
      return `the hub refused to resume: ${end.error.message}`;
  }
}

/** Makes a reason acceptable to every hub: bounded, without lone surrogates. */
export function truncateReason(reason: string, most = 512): string {
  return [...reason].filter(isWellFormed).slice(0, most).join('');
}
