/** Pages of other origins that were allowed to use the hub: the browser is told so. Whether they are is decided before. */

import type { IncomingMessage, ServerResponse } from 'node:http';

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'authorization, content-type, parley-as, traceparent, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};

/** True = that was all it asked. No cookie ever counts, so none is allowed. */
export function allowPage({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-origin', origin);
  if (method !== 'OPTIONS') return false;
  response.writeHead(204, PREFLIGHT).end();
  return true;
}
