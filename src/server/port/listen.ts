/** The listener of a port: creates it with its timeouts, opens it or explains why not, and waits until it is idle. */

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
  return new HubError('cannot_listen', sentence(cause, host, port), { cause });
}

function sentence({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is taken by another program (perhaps another hub); stop it, or give another port (0 = any that is free)`;
    case 'EACCES':
      return `port ${port} of ${host} may not be opened by this user; give a port of 1024 or above`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}; give one that it has, such as 127.0.0.1`;
    default:
      return `port ${port} of ${host} cannot be opened: ${message}`;
  }
}

/** How long a connection is kept for another request. Those who ask all the time are not kept waiting, and others come again. */
const KEEP_ALIVE_MS = 5_000;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export function httpServer({ limits, tls }: ServeSettings, respond: Respond): Server {
  const { handshakeMs } = limits;
  // Who sends its headers drop by drop is cut off.
  const timeouts = {
    headersTimeout: handshakeMs,
    requestTimeout: handshakeMs,
    connectionsCheckingInterval: handshakeMs / 2,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Told by us, with a code.
    requireHostHeader: false,
  };
  const server =
    tls === null ? createServer(timeouts) : createTlsServer({ ...timeouts, handshakeTimeout: handshakeMs, ...tls });
  server.on('request', respond);
  // Whether its body is wanted is said when it is known who asks.
  server.on('checkContinue', respond);
  server.on('checkExpectation', respond);
  return server;
}

/** Event-loop ticks without news; an idle process takes them in less than a millisecond. */
const IDLE_TICKS = 20;

/** Waits until nothing more arrives. `came`: how much has arrived so far. Gives up on peers that never stop. */
export async function waitUntilIdle(came: () => number, mostMs: number): Promise<void> {
  const untilMs = performance.now() + mostMs;
  let [known, turns] = [came(), 0];
  while (turns < IDLE_TICKS && performance.now() < untilMs) {
    await new Promise((resolve) => setImmediate(resolve));
    turns = came() === known ? turns + 1 : 0;
    known = came();
  }
}
