/** A schema as JSON Schema: as it was given, or as the schema tells it itself. Pure. */

import { asError } from '../../../core/lib/errors.ts';
import type { JsonObject } from '../../../core/lib/json.ts';
import type { StandardSchema } from '../lib/standard-schema.ts';

export type JsonSchemaOf = { readonly schema: JsonObject } | { readonly missing: string };

export function jsonSchemaOf(schema: StandardSchema, given: JsonObject | undefined): JsonSchemaOf {
  if (given !== undefined) return { schema: given };
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) return missing(`a schema of ${vendor} does not tell its JSON Schema`);
  try {
    // JSON text is what is sent of it; which version of JSON Schema it is in is no model's business.
    const { $schema: _, ...rest } = JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })));
    return { schema: rest as JsonObject };
  } catch (thrown) {
    return missing(`the schema has no JSON Schema (${asError(thrown).message})`);
  }
}

function missing(why: string): JsonSchemaOf {
  return { missing: `${why}; give one as extract.jsonSchema` };
}
