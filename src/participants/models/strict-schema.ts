/** Services check answers strictly only against schemas whose objects are closed and need all they name. Pure. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import { asObject, listAt } from './read-json.ts';

export function isStrict(schema: JsonObject): boolean {
  if (schema.type === 'object' && !isClosed(schema)) return false;
  return Object.entries(schema).every(([key, value]) => key === 'enum' || key === 'const' || areStrict(value));
}

function areStrict(value: Json): boolean {
  if (Array.isArray(value)) return value.every(areStrict);
  const inner = asObject(value);
  return inner === null || isStrict(inner);
}

function isClosed(schema: JsonObject): boolean {
  const needed = listAt(schema, 'required');
  const names = Object.keys(asObject(schema.properties) ?? {});
  return schema.additionalProperties === false && names.every((name) => needed.includes(name));
}
