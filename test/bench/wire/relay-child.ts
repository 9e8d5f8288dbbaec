/** The baseline: a relay that parses, forwards and acks every frame; plain, corked, or corked with group commit. */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { RawCommit } from '../raw.ts';
import { answerOrders } from './orders.ts';

interface Corkable {
  cork(): void;
  uncork(): void;
}

/** One per server; releases its sockets at the end of the tick. */
export class Corking {
  private readonly held = new Set<Corkable>();

  hold(socket: Corkable): void {
    if (this.held.has(socket)) return;
    if (this.held.size === 0) setImmediate(() => this.release());
    this.held.add(socket);
    socket.cork();
  }

  private release(): void {
    const sockets = [...this.held];
    this.held.clear();
    for (const socket of sockets) socket.uncork();
  }
}

interface Asked {
  readonly request_id: string;
  readonly op: string;
  readonly params: { readonly session_id: string };
}

interface Room {
  readonly ends: End[];
  seq: number;
}

/** As long as the hub's. */
const ID = '0123456789abcdef0123456789abcdef';
/** The envelope fields the load does not send. */
const REST = {
  sender_id: ID,
  audience: null,
  causation_id: null,
  task_id: null,
  traceparent: null,
  priority: 'normal',
  ttl_seconds: null,
  depth: 0,
};

const [mode = '', file = ''] = process.argv.slice(2);
const corking = mode === 'plain' ? null : new Corking();
const commit = mode === 'commit' ? await RawCommit.open(file) : null;
const rooms = new Map<string, Room>();

class End {
  readonly #socket: WebSocket;
  readonly #stream: Socket;

  constructor(socket: WebSocket, stream: Socket) {
    this.#socket = socket;
    this.#stream = stream;
    socket.on('error', () => {});
    socket.on('message', (data: RawData) => this.#take(JSON.parse(data.toString()) as Asked));
  }

  send(text: string): void {
    corking?.hold(this.#stream);
    this.#socket.send(text);
  }

  #take({ request_id, op, params }: Asked): void {
    const room = rooms.get(params.session_id) ?? { ends: [], seq: 0 };
    if (op === 'join') {
      rooms.set(params.session_id, room);
      room.ends.push(this);
      return this.#answer(request_id, null);
    }
    room.seq += 1;
    const stamp = { envelope_id: ID, seq: room.seq, created_at: new Date().toISOString() };
    const envelope = JSON.stringify({ ...REST, ...params, ...stamp });
    const tell = (): void => {
      const frame = `{"kind":"notify","recipient_id":"${ID}","epoch":1,"prev_seq":${stamp.seq - 1},"turn":null,"envelope":${envelope}}`;
      for (const end of room.ends) if (end !== this) end.send(frame);
      this.#answer(request_id, { ...stamp, turn: null });
    };
    if (commit === null) tell();
    else void commit.append(Buffer.from(envelope)).then(tell);
  }

  #answer(request_id: string, result: object | null): void {
    this.send(JSON.stringify({ kind: 'response', request_id, ok: true, result }));
  }
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket, request) => new End(socket, request.socket));
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
answerOrders(async () => port);
