/** A bare WebSocket client, cheap beside the server: one write per tick, every frame parsed. */

import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** What a load generator reads of a frame. */
export interface Frame {
  readonly kind: string;
  readonly request_id?: string;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly agent_id?: string;
  readonly prev_seq?: number | null;
  readonly envelope?: {
    readonly session_id: string;
    readonly seq: number;
    readonly event_type: string;
    readonly idempotency_key: string | null;
  };
}

const MASK = [0x5a, 0x3c, 0x71, 0x96] as const;
const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];
const NOTIFY = '"kind":"notify"';
const END_OF_HEAD = '\r\n\r\n';

/** Sockets with pending output, written at the end of the tick. */
const waiting = new Set<FrameSocket>();

export class FrameSocket {
  readonly #socket: Socket;
  #outgoing: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);
  onFrame: (frame: Frame) => void = () => {};
  onEnd: () => void = () => {};
  /** Called for each envelope instead of parsing it; null = parse. */
  onEnvelope: (() => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.onEnd());
  }

  static open(port: number): Promise<FrameSocket> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}${END_OF_HEAD}`,
    );
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', (head) => {
        socket.off('error', reject);
        const text = head.toString('latin1');
        if (!text.startsWith('HTTP/1.1 101') || !text.endsWith(END_OF_HEAD)) reject(new Error(`no upgrade: ${text}`));
        else resolve(new FrameSocket(socket));
      });
    });
  }

  send(text: string): void {
    this.#put(TEXT, text);
  }

  pause(): void {
    this.#socket.pause();
  }

  /** Bytes the other side has not read. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  flush(): void {
    this.#socket.write(this.#outgoing.length === 1 ? (this.#outgoing[0] ?? '') : Buffer.concat(this.#outgoing));
    this.#outgoing = [];
  }

  #put(opcode: number, text: string): void {
    this.#outgoing.push(masked(opcode, text));
    if (waiting.size === 0) setImmediate(flushAll);
    waiting.add(this);
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = endOfFrame(bytes); end <= bytes.length; end = endOfFrame(bytes)) {
      this.#frame((bytes[0] ?? 0) & 0x0f, bytes.subarray(headLength(bytes), end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }

  #frame(opcode: number, payload: Buffer): void {
    if (opcode === TEXT && this.onEnvelope !== null && payload.includes(NOTIFY, 0, 'latin1')) this.onEnvelope();
    else if (opcode === TEXT) this.onFrame(JSON.parse(payload.toString('latin1')) as Frame);
    else if (opcode === PING) this.#put(PONG, '');
    else if (opcode === CLOSE) this.#socket.end();
  }
}

function flushAll(): void {
  const sockets = [...waiting];
  waiting.clear();
  for (const socket of sockets) socket.flush();
}

function masked(opcode: number, text: string): Buffer {
  const length = text.length;
  const head = length < 126 ? 6 : 8;
  const bytes = Buffer.allocUnsafe(head + length);
  bytes[0] = 0x80 | opcode;
  if (length < 126) {
    bytes[1] = 0x80 | length;
  } else {
    bytes[1] = 0x80 | 126;
    bytes.writeUInt16BE(length, 2);
  }
  for (let i = 0; i < 4; i++) bytes[head - 4 + i] = MASK[i as 0];
  bytes.write(text, head, 'latin1');
  for (let i = 0; i < length; i++) bytes[head + i] = (bytes[head + i] ?? 0) ^ MASK[(i & 3) as 0];
  return bytes;
}

function headLength(bytes: Buffer): number {
  const length = (bytes[1] ?? 0) & 0x7f;
  return length < 126 ? 2 : length === 126 ? 4 : 10;
}

/** Beyond the end = incomplete. */
function endOfFrame(bytes: Buffer): number {
  if (bytes.length < 2) return Number.POSITIVE_INFINITY;
  const head = headLength(bytes);
  if (bytes.length < head) return Number.POSITIVE_INFINITY;
  if (head === 2) return 2 + ((bytes[1] ?? 0) & 0x7f);
  return head + (head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
}
