/** The schema of a role in a config file as a Standard Schema: it is one, or is made of a JSON Schema. */

import { z } from 'zod';
import { asError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { MetaSchema } from '../../participants/roles/role.ts';
import { isStandardSchema } from '../../participants/roles/lib/standard-schema.ts';
import type { RoleConfig } from '../../config/shape/config.ts';

export type MadeSchema =
  | { readonly schema: MetaSchema; readonly jsonSchema?: JsonObject }
  | { readonly problem: string };

/** What the model is told is the JSON Schema as it was written. */
export function metaSchema(given: NonNullable<RoleConfig['schema']>): MadeSchema {
  // A module may have one with another output; what it makes is looked at when there is an answer.
  if (isStandardSchema(given)) return { schema: given as MetaSchema };
  const jsonSchema = given as JsonObject;
  if (jsonSchema.type !== 'object') return { problem: 'expected a JSON Schema of an object: {"type": "object", …}' };
  try {
    // Metadata is JSON: nothing in its schema depends on what zod makes of it.
    const schema = z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0]) as unknown as MetaSchema;
    return { schema, jsonSchema };
  } catch (thrown) {
    return { problem: `expected a JSON Schema that can be checked here: ${asError(thrown).message}` };
  }
}
