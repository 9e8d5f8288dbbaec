/** The requests of a port: their order on one socket, how long an answer may take to leave, what happens to them when the port closes, and the answer to bytes that are no request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WireCode, WireError } from '../../core/lib/errors.ts';
import { refuseSocket, respondError } from './respond.ts';

/** How long an answer may take to be read: the largest is a frame's, and who holds it holds a socket and its bytes. */
export const READ_WITHIN_MS = 60_000;

/** It is gone before its request was whole. */
const HUNG_UP: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

/** Requests that are being answered. */
export class InFlight {
  private readonly refused: (code: WireCode) => void;
  private readonly readWithinMs: number;
  private readonly open = new Map<ServerResponse, IncomingMessage>();
  private isEnding = false;

  constructor(refused: (code: WireCode) => void, readWithinMs: number = READ_WITHIN_MS) {
    this.refused = refused;
    this.readWithinMs = readWithinMs;
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.open.set(response, request);
    if (this.isEnding) response.shouldKeepAlive = false;
    let tooLate: NodeJS.Timeout | undefined;
    // All of it was said; from now on it is the peer that is waited for.
    response.once('prefinish', () => {
      tooLate = setTimeout(() => request.socket.destroy(), this.readWithinMs);
      tooLate.unref();
    });
    response.once('close', () => {
      clearTimeout(tooLate);
      this.open.delete(response);
    });
  }

  /** No other request is taken on a connection whose request is under way. */
  lastCall(): void {
    this.isEnding = true;
    for (const response of this.open.keys()) response.shouldKeepAlive = false;
  }

  /** What came is no request, or did not come in time. */
  broken(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (HUNG_UP.has(error.code ?? '') || !socket.writable) return void socket.destroy();
    const mine = [...this.open].filter(([, request]) => request.socket === socket);
    const unfinished = mine.find(([response, request]) => !request.complete && !response.headersSent);
    // An answer that is on its way would be taken for this one.
    if (unfinished === undefined && mine.length > 0) return void socket.destroy();
    const refusal = malformedError(error);
    this.refused(refusal.code);
    if (unfinished === undefined) return refuseSocket(socket, refusal);
    const [response] = unfinished;
    response.shouldKeepAlive = false;
    respondError(response, refusal);
  }
}

/** Requests that may wait on one socket. Well-behaved clients send fewer ahead, and each takes memory. */
const MAX_AHEAD = 128;

/** Handles requests of one socket one after the other; other sockets get their turn in between. */
export class RequestPipeline {
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
    } else if (waiting.push(begin) > MAX_AHEAD) socket.destroy();
  }

  private next(socket: Socket): void {
    const following = this.waiting.get(socket)?.shift();
    if (following === undefined) this.waiting.delete(socket);
    else setImmediate(() => socket.destroyed || following());
  }
}

/** Why bytes cannot be read as a request. */
function malformedError({ code = '' }: NodeJS.ErrnoException): WireError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new WireError('timeout', 'the request did not arrive in time', { field: 'arrival' });
    case 'HPE_HEADER_OVERFLOW':
      return new WireError('too_large', 'headers: expected 16 KiB at most, with the address', { field: 'headers' });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new WireError('too_large', 'body: expected chunks without extensions', { field: 'body' });
    default:
      return new WireError('bad_frame', `expected a request of HTTP/1.1; this is none (${code})`, { field: 'request' });
  }
}
