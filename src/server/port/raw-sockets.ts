/** Tracks every accepted socket of a listener, bounds their number, and destroys them when the port closes. */

import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../core/ports/platform.ts';
import { type OpenFiles, openFiles } from '../../system/process.ts';
import { isLoopback } from '../auth/hosts.ts';

/** Sockets allowed in addition to WebSocket connections, for HTTP requests and connections being rejected. */
const SPARE = 256;
/** File descriptors reserved for files that the hub opens: the journal, the index, copies of both. */
const KEPT_FOR_FILES = 64;
/** Minimum sockets for a useful port. */
const MIN_SOCKETS = 8;

/** Identifies a socket by its peer's address and port, which TLS does not change. */
type From = Pick<Socket, 'remoteAddress' | 'remotePort'>;

export class RawSockets {
  /** Sockets accepted so far. */
  accepted = 0;
  private readonly open = new Set<Socket>();
  private readonly maxPerAddress: number;
  /** Sockets that are not WebSockets, by address. */
  private readonly plain = new Map<string, Set<string>>();

  /** Closes plain sockets beyond `maxPerAddress` from one address. The loopback is exempt. */
  constructor(server: Server, maxPerAddress: number) {
    this.maxPerAddress = maxPerAddress;
    server.on('connection', (socket: Socket) => this.opened(socket));
  }

  /** The socket became a WebSocket, which is counted elsewhere. */
  upgraded(socket: Duplex & From): void {
    const { remoteAddress: address = '' } = socket;
    this.forget(address, keyOf(socket));
  }

  destroyAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  private opened(socket: Socket): void {
    this.accepted += 1;
    const { remoteAddress: address = '' } = socket;
    const key = keyOf(socket);
    const sameAddress = this.plain.get(address) ?? new Set();
    // The socket was returned after an upgrade offer.
    if (sameAddress.has(key)) return;
    if (sameAddress.size >= this.maxPerAddress && !isLoopback(address)) return void socket.destroy();
    this.plain.set(address, sameAddress.add(key));
    this.open.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.forget(address, key);
    });
  }

  private forget(address: string, key: string): void {
    const sameAddress = this.plain.get(address);
    if (sameAddress?.delete(key) === true && sameAddress.size === 0) this.plain.delete(address);
  }
}

function keyOf({ remoteAddress, remotePort }: From): string {
  return `${remoteAddress} ${remotePort}`;
}

/** One address may use as many plain sockets as WebSockets, but at most half of all sockets. */
export function maxSocketsPerAddress(maxSockets: number, maxConnectionsPerAddress: number): number {
  return Math.min(maxConnectionsPerAddress, Math.floor(maxSockets / 2));
}

/** Bounds sockets by the open-file limit: a hub without file descriptors could not write its journal. */
export function maxSockets(maxConnections: number, log: Logger, files: OpenFiles | null = openFiles()): number {
  const wanted = maxConnections + SPARE;
  if (files === null) return wanted;
  const room = Math.max(MIN_SOCKETS, files.limit - files.open - KEPT_FOR_FILES);
  if (room >= wanted) return wanted;
  const problem = 'the open-file limit is too low for maxConnections; raise it (ulimit -n) or lower maxConnections';
  log.warn(problem, { max_connections: maxConnections, open_files: files.limit, sockets: room });
  return room;
}
