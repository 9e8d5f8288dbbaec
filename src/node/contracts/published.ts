/** The contracts at their addresses. Each is made when it is first asked for, and kept. */

import type { JsonObject } from '../../core/json.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';
import { allSchemas, DIALECT } from './schemas.ts';

const SCHEMA = /^\/schemas\/([a-z_]+)\.json$/;

const made = new Map<string, JsonObject>();
const written = new Map<string, string>();

/** As it is sent: anybody may ask for it, as often as it likes, and writing a large one takes milliseconds. */
export function contractTextAt(path: string): string | null {
  const known = written.get(path);
  if (known !== undefined) return known;
  const contract = contractAt(path);
  if (contract === null) return null;
  const text = `${JSON.stringify(contract)}\n`;
  written.set(path, text);
  return text;
}

/** null = there is none at this path. */
export function contractAt(path: string): JsonObject | null {
  if (path === '/openapi.json') return kept(path, openApi);
  if (path === '/asyncapi.json') return kept(path, asyncApi);
  if (path === '/schemas') return kept(path, listOfSchemas);
  const [, name] = SCHEMA.exec(path) ?? [];
  const schemas = name === undefined ? {} : kept('schemas', allSchemas);
  const schema = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  // What allSchemas has are objects.
  return schema === undefined ? null : { $schema: DIALECT, ...(schema as JsonObject) };
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
