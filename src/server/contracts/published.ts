/** The contracts at their addresses. Each is made when it is first asked for, and kept. */

import type { JsonObject } from '../../core/lib/json.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';
import { allSchemas, DIALECT } from './schemas.ts';

const SCHEMA = /^\/schemas\/([a-z_]+)\.json$/;

const made = new Map<string, JsonObject>();
const written = new Map<string, string>();

/** Where a contract is asked for. */
interface Server {
  readonly host: string;
  readonly isTls: boolean;
}

/** As it is sent: anybody may ask for it, as often as it likes, and writing a large one takes milliseconds. */
export function contractTextAt(path: string, server: Server): string | null {
  const text = written.get(path) ?? textOf(path, server);
  if (text === null) return null;
  written.set(path, text);
  // Of all that is kept only this depends on who asks.
  return path === '/asyncapi.json' ? `{"servers":${JSON.stringify(serversAt(server))},${text.slice(1)}` : text;
}

function textOf(path: string, server: Server): string | null {
  const contract = contractAt(path, server);
  if (contract === null) return null;
  const { servers, ...rest } = contract;
  return `${JSON.stringify(path === '/asyncapi.json' ? rest : contract)}\n`;
}

/** null = there is none at this path. */
export function contractAt(path: string, server: Server): JsonObject | null {
  if (path === '/openapi.json') return kept(path, openApi);
  if (path === '/asyncapi.json') return { ...kept(path, asyncApi), servers: serversAt(server) };
  if (path === '/schemas') return kept(path, listOfSchemas);
  const [, name] = SCHEMA.exec(path) ?? [];
  const schemas = name === undefined ? {} : kept('schemas', allSchemas);
  const schema = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  // What allSchemas has are objects.
  return schema === undefined ? null : { $schema: DIALECT, ...(schema as JsonObject) };
}

/** The hub where it was asked: that address leads to it. */
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
