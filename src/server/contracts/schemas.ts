/** Collects every wire schema by name: operation parameters and results, frames of both sides, errors. */

import type { JsonObject } from '../../core/lib/json.ts';
import { clientFrames } from '../../core/protocol/frames/frame-codec.ts';
import { hubFrames, wireErrorSchema } from '../../core/protocol/frames/hub-frame-schemas.ts';
import { OPERATIONS, type OperationName, paramHelp } from '../../core/protocol/operations/operations.ts';

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Names have the forms `post_params`, `post_result`, `client_hello`, `hub_notify` and `error`. */
export function allSchemas(): Readonly<Record<string, JsonObject>> {
  const schemas: Record<string, JsonObject> = { error: plain(wireErrorSchema.jsonSchema()) };
  for (const { name } of Object.values(OPERATIONS)) {
    schemas[`${name}_params`] = paramsOf(name);
    schemas[`${name}_result`] = plain(OPERATIONS[name].result.jsonSchema());
  }
  for (const [kind, schema] of clientFrames) schemas[`client_${kind}`] = plain(schema.jsonSchema());
  for (const [kind, schema] of Object.entries(hubFrames)) schemas[`hub_${kind}`] = plain(schema.jsonSchema());
  return schemas;
}

/** Adds the help text of each parameter. */
function paramsOf(op: OperationName): JsonObject {
  const schema = plain(OPERATIONS[op].params.jsonSchema());
  const { properties } = schema;
  if (properties === undefined) return schema;
  const explained = Object.entries(properties as Record<string, JsonObject>).map(([name, property]) => [
    name,
    { ...property, description: paramHelp(op, name) },
  ]);
  return { ...schema, properties: Object.fromEntries(explained) };
}

/** Drops `$schema`: a document names its dialect once. */
function plain({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema;
}
