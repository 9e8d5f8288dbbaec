/** Runs the handlers of one session, one at a time and in order. */

import { asError, HubError } from '../../core/lib/errors.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { Turn } from '../../core/records/session/envelope.ts';
import { type Delivery, truncateReason } from '../connection/connection-types.ts';
import type { Message, MessageHandler, Session, TurnHandler } from './session.ts';
import type { SessionHost } from './session-host.ts';

/** The handlers of a session; null if not set. Without both, content waits until the caller takes it. */
export interface SessionHandlers {
  readonly onMessage: MessageHandler | null;
  readonly onTurn: TurnHandler | null;
}

export interface QueuedSession {
  readonly id: string;
  readonly host: SessionHost & { handlers(): SessionHandlers };
  readonly session: Session;
  /** Aborted when this participant can no longer post. */
  readonly signal: OwnSignal;
  readonly turn: Turn | null;
  /** True once this client has received the session's metadata from the hub. */
  readonly isKnown: boolean;
  readonly isAvailable: boolean;
  readonly isMineToTake: boolean;
  readonly hasBeenRead: boolean;
  shift(): Delivery | undefined;
  info(): Promise<unknown>;
  messageOf(delivery: Delivery): Promise<Message>;
}

/** The delivery that gave a turn while the session is unavailable; unacked, so that the next client receives it. */
interface Held {
  readonly delivery: Delivery;
  readonly message: Message | null;
}

export class HandlerQueue {
  private readonly room: QueuedSession;
  private busy = false;
  /** Hub envelopes that gave a turn; acked once the handler is done. */
  private readonly given: Delivery[] = [];
  /** True if we have the turn without a delivery to handle, for example after our own post. */
  private kept = false;
  /** The since_seq of the last offered turn. */
  private offered: number | null = null;
  /** Set only while the session is unavailable. */
  private held: Held | null = null;
  /** The turn a handler is working on; `since` is null if no participant in particular is expected. */
  private taking: { readonly since: number | null; readonly stop: InstanceType<typeof AbortController> } | null = null;

  constructor(room: QueuedSession) {
    this.room = room;
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

  /** True for our turn if a handler exists and it was not offered yet. */
  wants(turn: Turn | null): boolean {
    if (turn === null || turn.since_seq === this.offered || this.room.host.handlers().onTurn === null) return false;
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

  /** Aborts the handler if its turn is over. */
  turnNoted(): void {
    const { taking, room } = this;
    if (taking === null || taking.since === null || room.turn?.since_seq === taking.since) return;
    taking.stop.abort(new HubError('turn_over', `the turn in session ${room.id} since seq ${taking.since} is over`));
  }

  /** Lets the current turn be offered again. */
  offerAgain(): void {
    this.offered = null;
  }

  letGo(): void {
    this.held?.delivery.ack();
    this.held = null;
  }

  forget(): void {
    this.offered = null;
    this.held = null;
    this.kept = false;
    this.given.length = 0;
  }

  private async run(): Promise<void> {
    this.busy = true;
    // Receive everything that arrived together before handling the first delivery.
    await Promise.resolve();
    for (let step = this.next(); step !== null; step = this.next()) await step;
    this.busy = false;
  }

  private next(): Promise<void> | null {
    const handlers = this.room.host.handlers();
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
      // We can no longer post, so a redelivery would be useless.
      if (signal.aborted) return delivery?.ack();
      this.failed(error);
      delivery?.nack(truncateReason(error.message));
    }
  }

  /** Offers the turn only after everything received was handled. */
  private async offerTurn(onTurn: TurnHandler, message: Message | null): Promise<'done' | 'hold'> {
    const { room } = this;
    if (!this.isDue(message)) return 'done';
    // Only the hub knows whether the session is unavailable.
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
      // Do not offer a turn again that is over.
      if (stop.signal.aborted && !signal.aborted) return this.failed(asError(thrown));
      this.offered = null;
      throw thrown;
    } finally {
      signal.removeEventListener('abort', end);
      this.taking = null;
    }
  }

  /** True if the turn must be offered: once per turn, or per message if no participant in particular is expected. */
  private isDue(message: Message | null): boolean {
    const { room } = this;
    if (!room.hasBeenRead || !room.isMineToTake) return false;
    const since = room.turn?.since_seq ?? null;
    return since === null ? message !== null : since !== this.offered;
  }

  private failed(error: Error): void {
    this.room.host.failed('a handler', this.room.id, error);
  }

  /** Keeps the newest delivery with the last message, and acks the delivery held before. */
  private hold(held: Held): void {
    const message = held.message ?? this.held?.message ?? null;
    this.letGo();
    this.held = { ...held, message };
  }
}
