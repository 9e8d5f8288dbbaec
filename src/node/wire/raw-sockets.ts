/** Every socket of a listener from the moment it was accepted, whatever it has said: how many there may be, and that none outlives the port. */

import type { Server, Socket } from 'node:net';
import type { Log } from '../../core/ports.ts';
import { type OpenFiles, openFiles } from './open-files.ts';

/** Sockets beside those that are connections: HTTP, and those that are being refused. */
const SPARE = 256;
/** Files the hub opens for itself while it runs: the journal, the index, copies of both. */
const KEPT_FOR_FILES = 64;
/** With fewer a port would be of no use. */
const FEWEST = 8;

export class RawSockets {
  private readonly open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  destroyAll(): void {
    for (const socket of this.open) socket.destroy();
  }
}

/**
 * How many sockets a port may have at once. Beyond it they are closed as they come: a hub that ran out of files could write
 * no more.
 */
export function mostSockets(maxConnections: number, log: Log, files: OpenFiles | null = openFiles()): number {
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
