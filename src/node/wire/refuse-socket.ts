/** A refusal written by hand, where there is a socket and no request to answer: an upgrade, or what is no HTTP. */

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WireError } from '../../core/lib/errors.ts';
import { errorRecord } from '../../core/protocol/frames/frame-codec.ts';
import { retrySeconds, statusOf } from '../http/status.ts';

/** How long who was refused has to hang up; a peer that keeps its end open would keep ours. */
const HANG_UP_MS = 1_000;

export function refuseSocket(socket: Duplex, error: WireError): void {
  const status = statusOf(error);
  const body = JSON.stringify({ error: errorRecord(error) });
  const retry = retrySeconds(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(retry === null ? [] : [`Retry-After: ${retry}`]),
    'Connection: close',
  ];
  const cut = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(cut));
  // What it has sent is read and thrown away: closing over unread bytes would take the answer from it.
  socket.resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
