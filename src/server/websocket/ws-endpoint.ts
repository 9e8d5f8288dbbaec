/** Adapts a server WebSocket to a link: writes once per tick, counts unsent bytes, answers pings, tracks silence. */

import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Link } from '../../core/lib/link.ts';
import { type EventLoopTicks, FairReading, type TickListener } from './fair-reading.ts';

/** Close codes of RFC 6455 used here. */
const NORMAL = 1000;
const TEXT_ONLY = 1003;
const POLICY = 1008;

export class WsEndpoint implements Link, TickListener {
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private readonly ticks: EventLoopTicks;
  private readonly reading: FairReading;
  private receive: (text: string) => void = () => {};
  private drained: () => void = () => {};
  private isClosed = false;
  /** Frames to send at the end of this tick, as latin1: one write per frame would cost 50 % more. */
  private outgoing = '';
  /** When the peer last sent anything, on the monotonic clock. */
  heardAt: number;

  constructor(socket: WebSocket, stream: Duplex, ticks: EventLoopTicks, now: () => number) {
    this.socket = socket;
    this.stream = stream;
    this.ticks = ticks;
    this.heardAt = now();
    this.reading = new FairReading(socket, ticks, (text) => this.receive(text));
    const pongs = new Pongs(socket);
    const heard = (): void => {
      this.heardAt = now();
    };
    socket.on('ping', (data: Buffer) => {
      heard();
      pongs.asked(data);
      this.reading.passed(data.length);
    });
    socket.on('pong', (data: Buffer) => {
      heard();
      this.reading.passed(data.length);
    });
    socket.on('message', (data: RawData, isBinary: boolean) => {
      heard();
      if (isBinary) this.socket.close(TEXT_ONLY, 'frames are text');
      else this.reading.came(data.toString());
    });
    socket.once('close', () => {
      this.isClosed = true;
      this.reading.end();
    });
    // After an error ws closes the socket with the right code (1009 for too large).
    socket.on('error', () => {});
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount + this.outgoing.length;
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.outgoing === '') this.ticks.atEnd(this);
    this.outgoing += textFrame(text);
  }

  /** Writes the frames of this tick. */
  endTick(): void {
    const { outgoing } = this;
    this.outgoing = '';
    // Send nothing once the socket is closing.
    if (outgoing === '' || this.socket.readyState !== this.socket.OPEN) return;
    const hasLeft = this.stream.write(outgoing, 'latin1');
    // A stream that accepts everything emits no `drain`.
    if (hasLeft) this.drained();
  }

  onMessage(receive: (text: string) => void): void {
    this.receive = receive;
  }

  onClose(closed: () => void): void {
    if (this.isClosed) queueMicrotask(closed);
    else this.socket.once('close', closed);
  }

  onDrain(drained: () => void): void {
    this.drained = drained;
    this.stream.on('drain', drained);
  }

  pause(): void {
    this.reading.hold();
  }

  resume(): void {
    this.reading.goOn();
  }

  slow(ms: number): void {
    this.reading.slow(ms);
  }

  /** `refusal`: why the peer is disconnected. */
  close(refusal?: string): void {
    this.endTick();
    // A paused socket would never see the peer's close frame.
    this.socket.resume();
    if (refusal === undefined) this.socket.close(NORMAL);
    else this.socket.close(POLICY, refusal);
  }

  destroy(): void {
    this.socket.terminate();
  }

  ping(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }
}

/** Answers pings one at a time; if several wait, only the latest (RFC 6455, 5.5.3). */
export class Pongs {
  private readonly socket: Pick<WebSocket, 'pong' | 'readyState' | 'OPEN'>;
  /** The latest unanswered ping. */
  private due: Buffer | null = null;
  /** True while a pong is unsent: a peer that does not read gets no second one. */
  private isLeaving = false;

  constructor(socket: Pick<WebSocket, 'pong' | 'readyState' | 'OPEN'>) {
    this.socket = socket;
  }

  asked(data: Buffer): void {
    // Copy: the data is a slice of a chunk that would otherwise stay in memory.
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

const [WHOLE_TEXT, TWO_BYTES, EIGHT_BYTES] = ['\x81', '\x7e', '\x7f'];

/** A complete, unmasked text frame (RFC 6455, 5.2) with one character per byte: frames of a tick are joined and written as latin1. */
export function textFrame(text: string): string {
  const bytes = Buffer.byteLength(text);
  // Equal lengths mean ASCII, which needs no conversion.
  const payload = bytes === text.length ? text : Buffer.from(text).toString('latin1');
  return WHOLE_TEXT + lengthBytes(bytes) + payload;
}

function lengthBytes(length: number): string {
  if (length < 126) return String.fromCharCode(length);
  if (length < 2 ** 16) return TWO_BYTES + String.fromCharCode(length >> 8, length & 0xff);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return EIGHT_BYTES + bytes.toString('latin1');
}
