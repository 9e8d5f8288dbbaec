/** One WebSocket of the server as a link: corked writes, what has not left yet, and whether its peer still lives. */

import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Link } from '../../core/link.ts';
import type { Corking } from './corking.ts';

/** Close codes of RFC 6455 that are ours to give. */
const NORMAL = 1000;
const TEXT_ONLY = 1003;

export class WsEndpoint implements Link {
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private readonly corking: Corking;
  private isClosed = false;
  /** When it was last heard of, on the monotonic clock. */
  heardAt: number;

  constructor(socket: WebSocket, stream: Duplex, corking: Corking, now: () => number) {
    this.socket = socket;
    this.stream = stream;
    this.corking = corking;
    this.heardAt = now();
    socket.on('pong', () => {
      this.heardAt = now();
    });
    socket.on('message', () => {
      this.heardAt = now();
    });
    socket.once('close', () => {
      this.isClosed = true;
    });
    // ws closes the socket after an error by itself, with the code that fits (1009 for what is too large).
    socket.on('error', () => {});
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.corking.hold(this.stream);
    this.socket.send(text);
  }

  onMessage(receive: (text: string) => void): void {
    this.socket.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary) this.socket.close(TEXT_ONLY, 'frames are text');
      else receive(data.toString());
    });
  }

  onClose(closed: () => void): void {
    if (this.isClosed) queueMicrotask(closed);
    else this.socket.once('close', closed);
  }

  onDrain(drained: () => void): void {
    this.stream.on('drain', drained);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    // A paused socket would never see the peer's answer to the close.
    this.socket.resume();
    this.socket.close(NORMAL);
  }

  destroy(): void {
    this.socket.terminate();
  }

  ping(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }
}
