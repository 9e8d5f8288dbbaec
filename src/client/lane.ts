/** Runs the handlers of one session: one at a time, in order. */

import type { Turn } from '../core/envelope.ts';
import { asError } from '../core/errors.ts';
import { type Delivery, shorten } from './connection.ts';
import type { Message, MessageHandler, TurnHandler } from './message.ts';
import type { Room } from './room.ts';

/** null = not given: without either, content waits until somebody takes it. */
export interface Handlers {
  readonly onMessage: MessageHandler | null;
  readonly onTurn: TurnHandler | null;
}

export class Lane {
  private readonly room: Room;
  private readonly handlers: () => Handlers;
  private readonly failed: (doing: string, error: Error) => void;
  private busy = false;
  /** Hub envelopes that gave the turn and are acked when it was taken. */
  private readonly given: Delivery[] = [];
  /** A post of our own gave the turn back to us. */
  private kept = false;
  /** The since_seq of the turn that was offered last. */
  private offered: number | null = null;

  constructor(room: Room, handlers: () => Handlers, failed: (doing: string, error: Error) => void) {
    this.room = room;
    this.handlers = handlers;
    this.failed = failed;
  }

  get isIdle(): boolean {
    return !this.busy;
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

  /** No turn that was offered counts any more. */
  forget(): void {
    this.offered = null;
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

  private async handle(delivery: Delivery | null, { onMessage, onTurn }: Handlers, said: boolean): Promise<void> {
    const { signal, session } = this.room;
    try {
      const message = delivery !== null && said ? await this.room.messageOf(delivery) : null;
      if (message !== null) await onMessage?.(message, session);
      if (onTurn !== null) await this.offerTurn(onTurn, message);
      delivery?.ack();
    } catch (thrown) {
      const error = asError(thrown);
      // Nothing can be posted any more, so that there is nothing to repeat it for.
      if (signal.aborted) return delivery?.ack();
      this.failed('a handler', error);
      delivery?.nack(shorten(error.message));
    }
  }

  /** Only when everything that was said has been seen: who has more to read does not speak yet. */
  private async offerTurn(onTurn: TurnHandler, message: Message | null): Promise<void> {
    const { room } = this;
    if (!room.hasBeenRead || !room.isMyTurn) return;
    const since = room.turn?.since_seq ?? null;
    if (since === null ? message === null : since === this.offered) return;
    this.offered = since;
    try {
      await onTurn({ message, signal: room.signal }, room.session);
    } catch (thrown) {
      this.offered = null;
      throw thrown;
    }
  }
}
