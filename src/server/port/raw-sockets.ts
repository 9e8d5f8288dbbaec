/** Every socket of a listener from the moment it was accepted, whatever it has said: how many there may be, and that none outlives the port. */

import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../core/ports/platform.ts';
import { type OpenFiles, openFiles } from '../../system/process.ts';
import { isLoopback } from '../auth/hosts.ts';

/** Sockets beside those that are connections: HTTP, and those that are being refused. */
const SPARE = 256;
/** Files the hub opens for itself while it runs: the journal, the index, copies of both. */
const KEPT_FOR_FILES = 64;
/** With fewer a port would be of no use. */
const FEWEST = 8;

/** One end of a socket is known by its address and port, also where TLS has wrapped it. */
type From = Pick<Socket, 'remoteAddress' | 'remotePort'>;

export class RawSockets {
  /** So many came so far. */
  accepted = 0;
  private readonly open = new Set<Socket>();
  private readonly mostOfAddress: number;
  /** Those that are no WebSockets, by where they come from. */
  private readonly plain = new Map<string, Set<string>>();

  /** Beyond `mostOfAddress` plain sockets of one address are closed as they come. The loopback is exempt. */
  constructor(server: Server, mostOfAddress: number) {
    this.mostOfAddress = mostOfAddress;
    server.on('connection', (socket: Socket) => this.opened(socket));
  }

  /** It became a WebSocket, which is counted elsewhere. */
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
    // It was given back.
    if (sameAddress.has(key)) return;
    if (sameAddress.size >= this.mostOfAddress && !isLoopback(address)) return void socket.destroy();
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

/** One address may have as many as it may have WebSockets, which all may come at once, but never more than half of all. */
export function maxSocketsPerAddress(mostSockets: number, maxConnectionsPerAddress: number): number {
  return Math.min(maxConnectionsPerAddress, Math.floor(mostSockets / 2));
}

/**
 * How many sockets a port may have at once. Beyond it they are closed as they come: a hub that ran out of files could write
 * no more.
 */
export function maxSockets(maxConnections: number, log: Logger, files: OpenFiles | null = openFiles()): number {
  const wanted = maxConnections + SPARE;
  if (files === null) return wanted;
  const room = Math.max(FEWEST, files.limit - files.open - KEPT_FOR_FILES);
  if (room >= wanted) return wanted;
  log.warn(
    'this process may open too few files for its connections; raise the limit (ulimit -n) or lower maxConnections',
    {
      max_connections: maxConnections,
      open_files: files.limit,
      sockets: room,
    },
  );
  return room;
}
