/** One WebSocket of the server as a link: one write per tick, unsent bytes, pongs, and when the peer was last heard. */

import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Link } from '../../core/lib/link.ts';
import { type EventLoopTicks, FairReading, type TickListener } from './fair-reading.ts';

/** Close codes of RFC 6455 that are ours to give. */
const NORMAL = 1000;
const TEXT_ONLY = 1003;
const POLICY = 1008;

export class WsEndpoint implements Link, TickListener {
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private readonly turns: EventLoopTicks;
  private readonly reading: FairReading;
  private receive: (text: string) => void = () => {};
  private drained: () => void = () => {};
  private isClosed = false;
  /** Frames of this turn, as latin1. Half the cost of a frame would be a write of its own. */
  private outgoing = '';
  /** When it was last heard of, on the monotonic clock. */
  heardAt: number;

  constructor(socket: WebSocket, stream: Duplex, turns: EventLoopTicks, now: () => number) {
    this.socket = socket;
    this.stream = stream;
    this.turns = turns;
    this.heardAt = now();
    this.reading = new FairReading(socket, turns, (text) => this.receive(text));
    const pongs = new Pongs(socket);
    socket.on('ping', (data: Buffer) => {
      this.heardAt = now();
      pongs.asked(data);
      this.reading.passed(data.length);
    });
    socket.on('pong', (data: Buffer) => {
      this.heardAt = now();
      this.reading.passed(data.length);
    });
    socket.on('message', (data: RawData, isBinary: boolean) => {
      this.heardAt = now();
      if (isBinary) this.socket.close(TEXT_ONLY, 'frames are text');
      else this.reading.came(data.toString());
    });
    socket.once('close', () => {
      this.isClosed = true;
      this.reading.end();
    });
    // ws closes the socket after an error by itself, with the code that fits (1009 for what is too large).
    socket.on('error', () => {});
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount + this.outgoing.length;
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.outgoing === '') this.turns.atEnd(this);
    this.outgoing += textFrame(text);
  }

  /** What was sent in this turn leaves. */
  endTurn(): void {
    const { outgoing } = this;
    this.outgoing = '';
    // Whoever says goodbye has heard enough.
    if (outgoing === '' || this.socket.readyState !== this.socket.OPEN) return;
    const hasLeft = this.stream.write(outgoing, 'latin1');
    // A stream that takes everything at once has nothing to tell later.
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

  /** `refusal`: what the peer did not do. */
  close(refusal?: string): void {
    this.endTurn();
    // A paused socket would never see the peer's answer to the close.
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

/** Answers pings one at a time; of those that arrive meanwhile only the latest (RFC 6455, 5.5.3). */
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

const [WHOLE_TEXT, TWO_BYTES, EIGHT_BYTES] = ['\x81', '\x7e', '\x7f'];

/**
 * A text frame of a server (RFC 6455, 5.2: whole, unmasked), each byte as a character: the texts of one tick are concatenated and
 * leave in one latin1 write that needs no buffer.
 */
export function textFrame(text: string): string {
  const bytes = Buffer.byteLength(text);
  // As many bytes as characters: all of them are ASCII, and stand for themselves.
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
