/** A request of node:http as the SDK wants it, and its response back: JSON, or events as they come. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The body was read before, within its bounds. Aborted when whoever asked is gone. */
export function webRequest(request: IncomingMessage, body: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // It was judged before: nothing behind this needs the secret.
    if (value === undefined || name === 'authorization' || name.startsWith(':')) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const url = new URL(request.url ?? '/', 'http://hub.invalid');
  return new Request(url, { method: request.method ?? 'GET', headers, body, signal });
}

export async function sendWeb(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) return void (await answer.body?.cancel());
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  response.writeHead(answer.status);
  response.flushHeaders();
  if (answer.body !== null) {
    for await (const chunk of answer.body) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
}
