/** The plain HTTP side of the port: is it alive, is it ready; everything else is told where to go. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Health } from '../../core/operations.ts';

export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: string | null,
  health: () => Health,
): void {
  if (refusal !== null) return respond(response, 403, errorBody('forbidden', refusal));
  const path = (request.url ?? '/').split('?', 1)[0];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === '/healthz' && isRead) return respond(response, 200, { alive: true });
  if (path === '/readyz' && isRead) {
    const { ready, reason } = health();
    return respond(response, ready ? 200 : 503, { ready, reason });
  }
  const message = `there is nothing at ${request.method} ${path}; this port speaks WebSocket, and answers GET /healthz and GET /readyz`;
  respond(response, 404, errorBody('not_found', message));
}

/** How long who was refused has to hang up; a peer that keeps its end open would keep ours. */
const HANG_UP_MS = 1_000;

/** Before a WebSocket begins there is only HTTP to say why it does not. */
export function refuseUpgrade(socket: Duplex, status: 403 | 503, message: string): void {
  const body = JSON.stringify(errorBody(status === 403 ? 'forbidden' : 'unavailable', message));
  const head = [
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Service Unavailable'}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 503 ? ['Retry-After: 1'] : []),
    'Connection: close',
  ];
  const cut = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(cut));
  // What it has sent is read and thrown away: closing over unread bytes would take the answer from it.
  socket.resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

function errorBody(code: string, message: string): unknown {
  return { error: { code, message } };
}
