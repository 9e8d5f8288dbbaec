/** Tracks the requests of a port: their order per socket, time limits for reading answers, shutdown, and malformed input. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WireCode, WireError } from '../../core/lib/errors.ts';
import { refuseSocket, respondError } from './respond.ts';

/** Time for a client to read an answer: until then it occupies a socket and memory. */
const READ_WITHIN_MS = 60_000;

/** The client disconnected before its request was complete. */
const HUNG_UP: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

/** Requests being answered. */
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
    // The answer is complete; from now on only the peer can delay it.
    response.once('prefinish', () => {
      tooLate = setTimeout(() => request.socket.destroy(), this.readWithinMs);
      tooLate.unref();
    });
    response.once('close', () => {
      clearTimeout(tooLate);
      this.open.delete(response);
    });
  }

  /** Takes no further requests on connections that have one in progress. */
  lastCall(): void {
    this.isEnding = true;
    for (const response of this.open.keys()) response.shouldKeepAlive = false;
  }

  /** Rejects bytes that are not a request, and requests that did not arrive in time. */
  broken(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (HUNG_UP.has(error.code ?? '') || !socket.writable) return void socket.destroy();
    const mine = [...this.open].filter(([, request]) => request.socket === socket);
    const unfinished = mine.find(([response, request]) => !request.complete && !response.headersSent);
    // The peer would take this error for the answer in progress.
    if (unfinished === undefined && mine.length > 0) return void socket.destroy();
    const refusal = malformedError(error);
    this.refused(refusal.code);
    if (unfinished === undefined) return refuseSocket(socket, refusal);
    const [response] = unfinished;
    response.shouldKeepAlive = false;
    respondError(response, refusal);
  }
}

/** Maximum pipelined requests per socket; well-behaved clients send fewer. */
const MAX_AHEAD = 128;

/** Handles the requests of one socket in order, letting other sockets run in between. */
export class RequestPipeline {
  /** Waiting requests of each socket that has one in progress. */
  private readonly waiting = new WeakMap<Socket, (() => void)[]>();

  /** `handle` ends the response; the next request starts after it has closed. */
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

/** Explains why bytes could not be parsed as a request. */
function malformedError({ code = '' }: NodeJS.ErrnoException): WireError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new WireError('timeout', 'the request did not arrive in time', { field: 'arrival' });
    case 'HPE_HEADER_OVERFLOW':
      return new WireError('too_large', 'headers: expected at most 16 KiB with the URL', { field: 'headers' });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new WireError('too_large', 'body: expected chunks without extensions', { field: 'body' });
    default:
      return new WireError('bad_frame', `expected an HTTP/1.1 request (${code})`, { field: 'request' });
  }
}
