/** The listener of a port: plain or TLS, and how long a request may take to arrive and a connection to wait for the next. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ServeSettings } from '../../server/port/serve-options.ts';

/** How long a connection is kept for another request. Those who ask all the time are not kept waiting, and others come again. */
const KEEP_ALIVE_MS = 5_000;

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

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
