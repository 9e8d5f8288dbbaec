/** What somebody else said in a session, with what is needed to answer it. */

import { renderText } from '../core/ports/adapter.ts';
import type { PostAnswer } from '../core/decisions/admit.ts';
import type { Envelope, Turn } from '../core/records/session/envelope.ts';
import type { OwnSignal } from '../core/ports/platform.ts';
import type { DeltaOptions } from './session/deltas.ts';
import type { Content, SendOptions, Session } from './session/session.ts';

export class Message {
  readonly session: Session;
  readonly envelope: Envelope;
  /** The sender's name. */
  readonly from: string;
  /** Whose turn it was after this message. */
  readonly turn: Turn | null;
  /** Aborted when an answer can no longer be posted: the session closes, you were hidden or removed, the client closed. */
  readonly signal: OwnSignal;

  constructor(session: Session, envelope: Envelope, from: string, turn: Turn | null, signal: OwnSignal) {
    this.session = session;
    this.envelope = envelope;
    this.from = from;
    this.turn = turn;
    this.signal = signal;
  }

  /** Its text, a packet as a line to read; content of other types as its type and JSON. */
  get text(): string {
    return renderText(this.envelope);
  }

  /** Whether it is for you to speak now: the newest turn names you, or nobody is expected in particular. */
  get isMyTurn(): boolean {
    return this.session.isMyTurn;
  }

  /** Posts to everyone in the session, with this message as the cause. */
  reply(content: string | Content, options: SendOptions = {}): Promise<PostAnswer> {
    return this.session.send(content, { causationId: this.envelope.envelope_id, ...options });
  }

  /** Shows part of the reply that you are writing, before `reply`. A hint that may be dropped. */
  delta(text: string, options: Omit<DeltaOptions, 'causationId'> = {}): Promise<void> {
    return this.session.delta(text, { causationId: this.envelope.envelope_id, ...options });
  }
}

/** The right to speak, as `onTurn` gets it. */
export interface TurnOffer {
  /** The last message before it; null = the turn came without one (the session opened, or somebody else lost it). */
  readonly message: Message | null;
  /** Aborted when the turn is over, and when nothing can be posted any more. */
  readonly signal: OwnSignal;
}

/**
 * Called for each message, one at a time and in order within a session; sessions run side by side. When it returns (or its
 * promise resolves) the message is acked and never comes again; when it throws, the hub repeats the message later, at most
 * five times. A throw after `message.signal` was aborted counts as done: there is nothing left to repeat.
 */
export type MessageHandler = (message: Message, session: Session) => unknown;

/**
 * Called when it is for you to speak and every message that came has been through `onMessage`: once for each turn, and where
 * nobody is expected in particular once for what was said. A throw repeats what gave the turn.
 */
export type TurnHandler = (turn: TurnOffer, session: Session) => unknown;
