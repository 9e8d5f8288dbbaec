/** What a connection hands to its owner, and why it ends. */

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

/** An envelope of the stream that has to be handled, and then acked or nacked once. */
export interface Delivery {
  readonly envelope: Envelope;
  /** Whose turn it was after this envelope. */
  readonly turn: Turn | null;
  /** Its session was delegated by this identity. */
  readonly delegated: boolean;
  ack(): void;
  /** It comes again later. */
  nack(reason: string): void;
}

/** Why a connection is over. After a final goodbye the same identity must not come back by itself. */
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

/** What a connection tells its owner, in the order in which it happened. None of these may throw. */
export interface ConnectionEvents {
  delivered(delivery: Delivery): void;
  /** An invite, or the end of a session that was never joined: outside the stream, without a receipt. */
  told(envelope: Envelope): void;
  gap(gap: GapFrame): void;
  /** An envelope of a session that is observed: outside every stream, without a receipt. */
  observed(frame: NotifyFrame): void;
  /** The hub does not let it observe that session any longer. */
  unobserved(sessionId: string, error: WireError): void;
  /** Part of a text that somebody is writing. */
  showed(delta: ForwardedDelta): void;
  /** There is a binding, perhaps another one than before: what was observed has to be asked for again. */
  welcomed(): void;
  /** Invites that are being answered. */
  openInvites(): number;
  /** The past of the session was rewritten: nothing seen of it counts. */
  forgotten(sessionId: string): void;
  /** The hub is out of reach, or there again; what was heard of it goes on where it was. */
  reached(isReached: boolean): void;
  ended(end: ConnectionEnd): void;
}

/** As the hub knows it, without who sends it. */
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

/** A reason that every hub takes: bounded, and without half characters. */
export function truncateReason(reason: string, most = 512): string {
  return [...reason].filter(isWellFormed).slice(0, most).join('');
}
