/** A request that offers another protocol than WebSocket, as some clients offer HTTP/2 unasked: it is answered as if it did not. */

import type { IncomingMessage, Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';

const OFFERS: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);

export function offersWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Node has taken the socket from the server by now: it is given back, with all that was read of it and without the offer. */
export function giveBack(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!OFFERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  // Headers are bytes, each a character.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
