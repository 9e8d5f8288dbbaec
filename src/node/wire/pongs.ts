/** Answers pings: one answer at a time, and of those that come meanwhile the latest alone (RFC 6455, 5.5.3). */

import { Buffer } from 'node:buffer';
import type { WebSocket } from 'ws';

export class Pongs {
  private readonly socket: Pick<WebSocket, 'pong' | 'readyState' | 'OPEN'>;
  /** The latest that was not answered. */
  private due: Buffer | null = null;
  /** An answer was given and has not left: who asks without reading gets no second one. */
  private isLeaving = false;

  constructor(socket: Pick<WebSocket, 'pong' | 'readyState' | 'OPEN'>) {
    this.socket = socket;
  }

  asked(data: Buffer): void {
    // A copy: what came is a piece of a chunk that would be kept whole.
    this.due = Buffer.from(data);
    this.answerOne();
  }

  private answerOne(): void {
    const { due } = this;
    if (due === null || this.isLeaving || this.socket.readyState !== this.socket.OPEN) return;
    this.due = null;
    this.isLeaving = true;
    this.socket.pong(due, false, () => {
      this.isLeaving = false;
      this.answerOne();
    });
  }
}
