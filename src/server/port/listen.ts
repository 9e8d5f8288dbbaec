/** Creates the listener of a port with its timeouts, opens it or explains why it cannot, and waits until it is idle. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { HubError } from '../../core/lib/errors.ts';
import type { ServeSettings } from './serve-options.ts';

export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
    server.once('error', failed);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): HubError {
  return new HubError('cannot_listen', describeError(cause, host, port), { cause });
}

function describeError({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use by another program (perhaps another hub); stop it, or choose another port (0 = any free port)`;
    case 'EACCES':
      return `port ${port} of ${host} requires more permissions; choose a port of 1024 or above`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}; choose one that it has, such as 127.0.0.1`;
    default:
      return `port ${port} of ${host} cannot be opened: ${message}`;
  }
}

/** How long an idle HTTP connection is kept: short, because clients can reconnect. */
const KEEP_ALIVE_MS = 5_000;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export function httpServer({ limits, tls }: ServeSettings, respond: Respond): Server {
  const { handshakeMs } = limits;
  // Disconnects clients that send their headers slowly.
  const timeouts = {
    headersTimeout: handshakeMs,
    requestTimeout: handshakeMs,
    connectionsCheckingInterval: handshakeMs / 2,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // hosts.ts checks Host and answers with a code.
    requireHostHeader: false,
  };
  const server =
    tls === null ? createServer(timeouts) : createTlsServer({ ...timeouts, handshakeTimeout: handshakeMs, ...tls });
  server.on('request', respond);
  // 100 Continue is sent after authentication.
  server.on('checkContinue', respond);
  server.on('checkExpectation', respond);
  return server;
}

/** Event-loop ticks without arrivals that count as idle; under a millisecond in an idle process. */
const IDLE_TICKS = 20;

/** Waits until `arrivals()` stops growing, at most `maxMs`. */
export async function waitUntilIdle(arrivals: () => number, maxMs: number): Promise<void> {
  const untilMs = performance.now() + maxMs;
  let [known, ticks] = [arrivals(), 0];
  while (ticks < IDLE_TICKS && performance.now() < untilMs) {
    await new Promise((resolve) => setImmediate(resolve));
    ticks = arrivals() === known ? ticks + 1 : 0;
    known = arrivals();
  }
}
