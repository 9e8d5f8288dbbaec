/** Runs the handlers of one session: one at a time, in order. */

import { asError, HubError } from '../../core/lib/errors.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { Turn } from '../../core/records/session/envelope.ts';
import { type Delivery, truncateReason } from '../connection/connection-types.ts';
import type { Message, MessageHandler, Session, TurnHandler } from './session.ts';

/** null = not given: without either, content waits until somebody takes it. */
export interface SessionHandlers {
  readonly onMessage: MessageHandler | null;
  readonly onTurn: TurnHandler | null;
}

/** The session whose handlers run. */
export interface QueuedSession {
  readonly id: string;
  readonly host: { readonly agentId: string };
  readonly session: Session;
  /** Aborted when this participant can post no more. */
  readonly signal: OwnSignal;
  readonly turn: Turn | null;
  /** The hub was asked about it. */
  readonly isKnown: boolean;
  readonly isAvailable: boolean;
  readonly isMineToTake: boolean;
  readonly hasBeenRead: boolean;
  shift(): Delivery | undefined;
  info(): Promise<unknown>;
  messageOf(delivery: Delivery): Promise<Message>;
}

/** What gave a turn that cannot be taken now. It is not acked, so that it comes again to whoever is next. */
interface Held {
  readonly delivery: Delivery;
  readonly message: Message | null;
}

export class HandlerQueue {
  private readonly room: QueuedSession;
  private readonly handlers: () => SessionHandlers;
  private readonly failed: (doing: string, error: Error) => void;
  private busy = false;
  /** Hub envelopes that gave the turn and are acked when it was taken. */
  private readonly given: Delivery[] = [];
  /** A post of our own gave the turn back to us. */
  private kept = false;
  /** The since_seq of the turn that was offered last. */
  private offered: number | null = null;
  /** Only in a session that is unavailable. */
  private held: Held | null = null;
  /** The turn that a handler has in hand; `since` null = nobody is expected in particular. */
  private taking: { readonly since: number | null; readonly stop: InstanceType<typeof AbortController> } | null = null;

  constructor(room: QueuedSession, handlers: () => SessionHandlers, failed: (doing: string, error: Error) => void) {
    this.room = room;
    this.handlers = handlers;
    this.failed = failed;
  }

  get isIdle(): boolean {
    return !this.busy;
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  wake(): void {
    if (!this.busy) void this.run();
  }

  /** A turn that is ours, is for a handler, and was not offered yet. */
  wants(turn: Turn | null): boolean {
    if (turn === null || turn.since_seq === this.offered || this.handlers().onTurn === null) return false;
    return turn.agent_id === this.room.host.agentId;
  }

  giveTurn(delivery: Delivery): void {
    this.given.push(delivery);
    this.wake();
  }

  keepTurn(): void {
    this.kept = true;
    this.wake();
  }

  /** Somebody else may have the turn that a handler has in hand, or nobody. */
  turnNoted(): void {
    const { taking, room } = this;
    if (taking === null || taking.since === null || room.turn?.since_seq === taking.since) return;
    taking.stop.abort(new HubError('turn_over', `the turn in session ${room.id} since seq ${taking.since} is over`));
  }

  /** What was made of the turn so far came to nothing: it is offered anew. */
  offerAgain(): void {
    this.offered = null;
  }

  /** There is no turn to wait for. */
  letGo(): void {
    this.held?.delivery.ack();
    this.held = null;
  }

  /** No turn that was offered counts any more. */
  forget(): void {
    this.offered = null;
    this.held = null;
    this.kept = false;
    this.given.length = 0;
  }

  private async run(): Promise<void> {
    this.busy = true;
    // What arrived together is looked at before the first of it is handled.
    await Promise.resolve();
    for (let step = this.next(); step !== null; step = this.next()) await step;
    this.busy = false;
  }

  private next(): Promise<void> | null {
    const handlers = this.handlers();
    if (handlers.onMessage === null && handlers.onTurn === null) return null;
    const said = this.room.shift();
    if (said !== undefined) return this.handle(said, handlers, true);
    const given = this.given.shift();
    if (given !== undefined) return this.handle(given, handlers, false);
    if (!this.kept) return null;
    this.kept = false;
    return this.handle(null, handlers, false);
  }

  private async handle(
    delivery: Delivery | null,
    { onMessage, onTurn }: SessionHandlers,
    said: boolean,
  ): Promise<void> {
    const { signal, session } = this.room;
    try {
      const message = delivery !== null && said ? await this.room.messageOf(delivery) : null;
      if (message !== null) await onMessage?.(message, session);
      const offer = onTurn === null ? 'done' : await this.offerTurn(onTurn, message ?? this.held?.message ?? null);
      if (offer === 'hold' && delivery !== null) return this.hold({ delivery, message });
      this.letGo();
      delivery?.ack();
    } catch (thrown) {
      const error = asError(thrown);
      // Nothing can be posted any more, so that there is nothing to repeat it for.
      if (signal.aborted) return delivery?.ack();
      this.failed('a handler', error);
      delivery?.nack(truncateReason(error.message));
    }
  }

  /** Only when everything that was said has been seen: who has more to read does not speak yet. */
  private async offerTurn(onTurn: TurnHandler, message: Message | null): Promise<'done' | 'hold'> {
    const { room } = this;
    if (!this.isDue(message)) return 'done';
    // A turn in the stream may be of a session that is unavailable: that only the hub can say.
    if (!room.isKnown) await room.info().catch(() => {});
    if (!this.isDue(message)) return 'done';
    if (!room.isAvailable) return 'hold';
    this.offered = room.turn?.since_seq ?? null;
    await this.take(onTurn, message);
    return 'done';
  }

  private async take(onTurn: TurnHandler, message: Message | null): Promise<void> {
    const { room } = this;
    const { signal } = room;
    const stop = new AbortController();
    const end = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    this.taking = { since: this.offered, stop };
    try {
      await onTurn({ message, signal: stop.signal }, room.session);
    } catch (thrown) {
      // A turn that is over does not come again.
      if (stop.signal.aborted && !signal.aborted) return this.failed('a handler', asError(thrown));
      this.offered = null;
      throw thrown;
    } finally {
      signal.removeEventListener('abort', end);
      this.taking = null;
    }
  }

  /** Each turn is offered once; where nobody is expected in particular, once for what was said. */
  private isDue(message: Message | null): boolean {
    const { room } = this;
    if (!room.hasBeenRead || !room.isMineToTake) return false;
    const since = room.turn?.since_seq ?? null;
    return since === null ? message !== null : since !== this.offered;
  }

  /** The last that was said is enough to take the turn with. */
  private hold(held: Held): void {
    const message = held.message ?? this.held?.message ?? null;
    this.letGo();
    this.held = { ...held, message };
  }
}
