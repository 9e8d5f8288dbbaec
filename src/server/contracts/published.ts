/** Publishes the contracts at their paths. Each is built at the first request and cached. */

import type { JsonObject } from '../../core/lib/json.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';
import { allSchemas, DIALECT } from './schemas.ts';

const SCHEMA = /^\/schemas\/([a-z_]+)\.json$/;

const made = new Map<string, JsonObject>();
const written = new Map<string, string>();

/** The address that the client used for this server. */
interface Server {
  readonly host: string;
  readonly isTls: boolean;
}

/** Returns the serialized contract, cached because serializing takes milliseconds; null if there is none. */
export function contractTextAt(path: string, server: Server): string | null {
  const text = written.get(path) ?? textOf(path, server);
  if (text === null) return null;
  written.set(path, text);
  // Only `servers` depends on the request.
  return path === '/asyncapi.json' ? `{"servers":${JSON.stringify(serversAt(server))},${text.slice(1)}` : text;
}

function textOf(path: string, server: Server): string | null {
  const contract = contractAt(path, server);
  if (contract === null) return null;
  const { servers, ...rest } = contract;
  return `${JSON.stringify(path === '/asyncapi.json' ? rest : contract)}\n`;
}

/** Returns null if there is no contract at this path. */
export function contractAt(path: string, server: Server): JsonObject | null {
  if (path === '/openapi.json') return kept(path, openApi);
  if (path === '/asyncapi.json') return { ...kept(path, asyncApi), servers: serversAt(server) };
  if (path === '/schemas') return kept(path, listOfSchemas);
  const [, name] = SCHEMA.exec(path) ?? [];
  const schemas = name === undefined ? {} : kept('schemas', allSchemas);
  const schema = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return schema === undefined ? null : { $schema: DIALECT, ...(schema as JsonObject) };
}

/** Uses the address in the request, which is known to reach this hub. */
function serversAt({ host, isTls }: Server): JsonObject {
  return { local: { host, protocol: isTls ? 'wss' : 'ws', pathname: '/' } };
}

function listOfSchemas(): JsonObject {
  return { schemas: Object.keys(allSchemas()).map((name) => `/schemas/${name}.json`) };
}

function kept(path: string, make: () => JsonObject): JsonObject {
  const known = made.get(path);
  if (known !== undefined) return known;
  const fresh = make();
  made.set(path, fresh);
  return fresh;
}
