/** A proxy that adds a token for clients that cannot send one, and passes everything else unchanged, including Host. */

import { request as ask } from 'node:http';
import { type LocalServer, localServer } from './local-server.ts';

export function bearerProxy(to: { readonly port: number; readonly token: string }): Promise<LocalServer> {
  return localServer((incoming, outgoing) => {
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
}
