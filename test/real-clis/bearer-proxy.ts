/** Puts a token on requests of a client that cannot: everything else passes as it is, the Host too. */

import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BearerProxy {
  readonly port: number;
  close(): Promise<void>;
}

export async function bearerProxy(to: { readonly port: number; readonly token: string }): Promise<BearerProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = { ...headers, authorization: `Bearer ${to.token}` };
    const asked = ask({ host: '127.0.0.1', port: to.port, method, path, headers: passed }, (answered) => {
      outgoing.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(outgoing);
    });
    asked.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
