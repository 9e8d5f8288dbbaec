/** Before a WebSocket begins there is only HTTP to say why it does not. */

import type { Duplex } from 'node:stream';

/** How long who was refused has to hang up; a peer that keeps its end open would keep ours. */
const HANG_UP_MS = 1_000;

export function refuseUpgrade(socket: Duplex, status: 403 | 503, message: string): void {
  const body = JSON.stringify({ error: { code: status === 403 ? 'forbidden' : 'unavailable', message } });
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
