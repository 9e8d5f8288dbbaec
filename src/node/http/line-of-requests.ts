/** Requests that come on one socket before the answers to those before them: one after the other, with turns for everybody else in between. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** That wait on one socket. Nobody who means well sends more ahead, and each takes memory. */
export const MOST_AHEAD = 128;

export class LineOfRequests {
  /** Of each socket that has a request under way, those that wait for it. */
  private readonly waiting = new WeakMap<Socket, (() => void)[]>();

  /** `handle` ends the response; the next one is handled after it has closed. */
  take({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void {
    if (socket.destroyed) return;
    const begin = (): void => {
      response.once('close', () => this.next(socket));
      handle();
    };
    const waiting = this.waiting.get(socket);
    if (waiting === undefined) {
      this.waiting.set(socket, []);
      begin();
    } else if (waiting.push(begin) > MOST_AHEAD) socket.destroy();
  }

  private next(socket: Socket): void {
    const following = this.waiting.get(socket)?.shift();
    if (following === undefined) this.waiting.delete(socket);
    else setImmediate(() => socket.destroyed || following());
  }
}
