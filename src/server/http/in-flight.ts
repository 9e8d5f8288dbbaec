/** The requests of a port that are under way: how long an answer may take to leave, what becomes of them when the port closes, and of bytes that are no request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WireCode } from '../../core/lib/errors.ts';
import { refuseSocket } from '../../node/wire/refuse-socket.ts';
import { malformed } from '../../node/http/malformed.ts';
import { respondError } from '../../node/http/respond.ts';

/** How long an answer may take to be read: the largest is a frame's, and who holds it holds a socket and its bytes. */
export const READ_WITHIN_MS = 60_000;

/** It is gone before its request was whole. */
const HUNG_UP: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

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
    const refusal = malformed(error);
    this.refused(refusal.code);
    if (unfinished === undefined) return refuseSocket(socket, refusal);
    const [response] = unfinished;
    response.shouldKeepAlive = false;
    respondError(response, refusal);
  }
}
