/** The contracts at their addresses. Each is made when it is first asked for, and kept. */

import type { JsonObject } from '../../core/json.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';
import { allSchemas, DIALECT } from './schemas.ts';

const SCHEMA = /^\/schemas\/([a-z_]+)\.json$/;

const made = new Map<string, JsonObject>();

/** null = there is none at this path. */
export function contractAt(
  path: string,
  server: { readonly host: string; readonly isTls: boolean },
): JsonObject | null {
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
function serversAt({ host, isTls }: { readonly host: string; readonly isTls: boolean }): JsonObject {
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
