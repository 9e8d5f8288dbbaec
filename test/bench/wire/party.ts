/** One connection of the load: asks, posts, and acks as the protocol requires. */

import type { Frame, FrameSocket } from './frame-socket.ts';

const TEXT = 'The quick brown fox jumps over the lazy dog, and then it thinks about what it has done. '.repeat(2);

/** Notified of the posts of a run by their keys. */
export interface Listener {
  answered(key: string, ok: boolean): void;
  delivered(key: string): void;
}

export class Party {
  readonly name: string;
  readonly #socket: FrameSocket;
  /** A relay expects no receipts. */
  readonly #acks: boolean;
  readonly #open = new Map<string, (frame: Frame) => void>();
  #welcomed: () => void = () => {};
  #agentId = '';
  #asked = 0;
  listener: Listener | null = null;

  constructor(socket: FrameSocket, name: string, acks: boolean) {
    this.#socket = socket;
    this.name = name;
    this.#acks = acks;
    socket.onFrame = (frame) => this.#take(frame);
    socket.onEnd = () => this.#end();
  }

  get socket(): FrameSocket {
    return this.#socket;
  }

  async register(): Promise<void> {
    const welcomed = new Promise<void>((resolve) => {
      this.#welcomed = resolve;
    });
    this.#socket.send(JSON.stringify({ kind: 'hello', protocol: 1, name: this.name, auth: { scheme: 'none' } }));
    await this.ask('register', { name: this.name });
    await welcomed;
  }

  ask(op: string, params: object): Promise<unknown> {
    const request_id = `${op}-${this.#asked++}`;
    return new Promise((resolve, reject) => {
      this.#open.set(request_id, ({ ok, result, error }) =>
        ok === true ? resolve(result) : reject(new Error(`${op}: ${error?.message}`)),
      );
      this.#socket.send(JSON.stringify({ kind: 'request', request_id, op, params }));
    });
  }

  /** The key is also the request id. Written out: the load must cost less than its server. */
  post(sessionId: string, key: string): void {
    this.#socket.send(
      `{"kind":"request","request_id":"${key}","op":"post","params":{"session_id":"${sessionId}","event_type":"msg.text","event_data":{"text":"${TEXT}"},"idempotency_key":"${key}"}}`,
    );
  }

  #take(frame: Frame): void {
    const { kind, request_id = '', envelope } = frame;
    if (kind === 'notify' && envelope !== undefined) {
      if (this.#acks && frame.prev_seq !== null) this.#ack(envelope.session_id, envelope.seq);
      if (envelope.idempotency_key !== null) this.listener?.delivered(envelope.idempotency_key);
    } else if (kind === 'response') {
      const answer = this.#open.get(request_id);
      if (answer === undefined) return this.listener?.answered(request_id, frame.ok === true);
      this.#open.delete(request_id);
      answer(frame);
    } else if (kind === 'welcome') {
      this.#agentId = frame.agent_id ?? '';
      this.#welcomed();
    }
  }

  #ack(sessionId: string, seq: number): void {
    this.#socket.send(
      `{"kind":"receipt","recipient_id":"${this.#agentId}","session_id":"${sessionId}","seq":${seq},"status":"ack"}`,
    );
  }

  #end(): void {
    const error = { message: 'the connection ended' };
    for (const answer of this.#open.values()) answer({ kind: 'response', ok: false, error });
    this.#open.clear();
  }
}
