/** A client that is nothing but a socket and frames, and remembers what went over it. */

import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface Frame {
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface Exchange {
  readonly request: Frame;
  readonly response: Frame;
}

type Match = (frame: Frame) => boolean;

export class WirePeer {
  agentId = '';
  /** Acks what comes in its streams. */
  acks = true;
  private readonly socket: WebSocket;
  /** Frames received but not yet taken. */
  private heard: Frame[] = [];
  private asked = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.hear(JSON.parse(String(data))));
  }

  static async open(url: string): Promise<WirePeer> {
    const socket = new WebSocket(url);
    const peer = new WirePeer(socket);
    await once(socket, 'open');
    return peer;
  }

  send(frame: Frame): Frame {
    this.socket.send(JSON.stringify(frame));
    return frame;
  }

  hello(name: string, token: string, more: object = {}): Frame {
    return this.send({ kind: 'hello', protocol: 1, name, auth: { scheme: 'token', token }, ...more });
  }

  async ask(op: string, params: object, more: object = {}): Promise<Exchange> {
    const request = this.request(op, params, more);
    return { request, response: await this.response(request) };
  }

  /** Asks, and does not wait for the answer. */
  request(op: string, params: object, more: object = {}): Frame {
    this.asked += 1;
    return this.send({ kind: 'request', request_id: `r${this.asked}`, op, params, ...more });
  }

  response({ request_id }: Frame): Promise<Frame> {
    return this.next((frame) => frame.kind === 'response' && frame.request_id === request_id);
  }

  /** The first that fits of what came and was not taken, or will come. */
  async next(match: Match): Promise<Frame> {
    for (;;) {
      const at = this.heard.findIndex(match);
      if (at >= 0) return this.heard.splice(at, 1)[0] as Frame;
      await once(this.socket, 'taken');
    }
  }

  nextOf(kind: string): Promise<Frame> {
    return this.next((frame) => frame.kind === kind);
  }

  /** The delivery of the next envelope of that type. */
  event(type: string): Promise<Frame> {
    return this.next((frame) => (frame.envelope as { event_type?: string } | undefined)?.event_type === type);
  }

  /** Everything sent on this connection so far was looked at. */
  async settled(): Promise<Frame> {
    this.send({ kind: 'ping' });
    return this.nextOf('pong');
  }

  receipt(notify: Frame, status: string, more: object = {}): Frame {
    const { session_id, seq } = notify.envelope as { session_id: string; seq: number };
    return this.send({ kind: 'receipt', recipient_id: notify.recipient_id, session_id, seq, status, ...more });
  }

  async close(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private hear(frame: Frame): void {
    this.heard.push(frame);
    if (frame.kind === 'welcome') this.agentId = String(frame.agent_id);
    const isStream = frame.kind === 'notify' && frame.prev_seq !== null && frame.observed === undefined;
    if (isStream && this.acks) this.receipt(frame, 'ack');
    this.socket.emit('taken');
  }
}
