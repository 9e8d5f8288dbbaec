/** The client of a person: passes messages of all sessions to callbacks, or returns them one by one. */

import { invalidValueError } from '../core/lib/json.ts';
import { Client } from './client.ts';
import { CLIENT_OPTIONS, type ClientOptions } from './client-options.ts';
import { WAIT_OPTIONS, type WaitOptions } from './lib/inbox.ts';
import { checkOptions } from './lib/option-checks.ts';
import type { SessionHandlers } from './session/handler-queue.ts';
import { isContentDelivery, type Message, type MessageHandler, type Session } from './session/session.ts';

export type HumanOptions = ClientOptions;

export class HumanClient extends Client implements AsyncIterable<Message> {
  private readonly callbacks = new Set<MessageHandler>();

  private constructor(options: HumanOptions) {
    super(options);
  }

  static async connect(options: HumanOptions): Promise<HumanClient> {
    checkOptions(options, CLIENT_OPTIONS);
    const client = new HumanClient(options);
    await client.start({ kind: 'human' });
    return client;
  }

  /**
   * Passes every message to the callback, including unread ones; call the returned function to stop. A message is acked
   * when all callbacks are done; if one throws, the message is delivered to all of them again.
   */
  onMessage(callback: MessageHandler): () => void {
    if (typeof callback !== 'function') throw invalidValueError('callback', 'a function', callback);
    // Wrap the function, so that registering it twice adds two callbacks.
    const own: MessageHandler = (message, session) => callback(message, session);
    this.callbacks.add(own);
    this.wakeRooms();
    return () => void this.callbacks.delete(own);
  }

  /** Takes and acks the next message of any session; null if the client is closed. */
  async next(options: WaitOptions = {}): Promise<Message | null> {
    checkOptions(options, WAIT_OPTIONS);
    const item = await this.unread.wait(isContentDelivery, options);
    return item === null ? null : item.room.messageOf(item.delivery);
  }

  /** Messages of all sessions, until the client closes. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    for (let message = await this.next(); message !== null; message = await this.next()) yield message;
  }

  protected override handlers(): SessionHandlers {
    const push = this.callbacks.size === 0 ? null : this.push;
    return { onMessage: push, onTurn: null };
  }

  private readonly push = async (message: Message, session: Session): Promise<void> => {
    const runs = [...this.callbacks].map(async (callback) => callback(message, session));
    const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
}
