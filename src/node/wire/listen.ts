/** Opens a port, or says in one sentence why it cannot be opened and what to do. */

import type { Server } from 'node:http';
import { HubError } from '../../core/lib/errors.ts';

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
