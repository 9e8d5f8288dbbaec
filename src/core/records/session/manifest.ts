/** Parses a manifest when its adapter is registered, because every session log contains its manifest. */

import { z } from 'zod';
import { asError, HubError, WireError } from '../../lib/errors.ts';
import { copyJsonObject, type JsonObject } from '../../lib/json.ts';
import { schemaOf } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { manifest } from './record-schemas.ts';
import type { Manifest } from './session.ts';

const MAX_MANIFEST_BYTES = 1024 * 1024;

const manifestSchema: Schema<Manifest> = schemaOf(manifest);

export function parseManifest(value: unknown): Manifest {
  const parsed = manifestSchema.parse(value, 'manifest');
  // Copied and frozen, so the adapter cannot change a logged manifest. `parse` has checked the shape.
  return copyJsonObject(parsed, 'manifest', { maxDepth: 64, maxBytes: MAX_MANIFEST_BYTES }) as unknown as Manifest;
}

/** Knobs that the hub adds to every session type. */
const hubKnobs = z.object({ close_by: z.enum(['any', 'creator'], { error: 'any or creator' }).optional() });
const hubKnobSchema = schemaOf(hubKnobs, 'invalid_create');

export type KnobsParser = (knobs: JsonObject) => JsonObject;

/** Checks knobs against the manifest's JSON Schema and applies its defaults. Throws now if the schema is invalid. */
export function compileKnobs(manifest: Manifest): KnobsParser {
  const own = schemaFromJson(manifest);
  const shape = own instanceof z.ZodObject ? own.extend(hubKnobs.shape) : null;
  // Errors of an extended object schema list all knobs; other schemas cannot include the hub's.
  const schema = schemaOf<unknown>(shape ?? own, 'invalid_create');
  return (knobs) => {
    const { close_by, ...others } = knobs;
    const { close_by: closeBy = 'any' } = hubKnobSchema.parse({ close_by }, 'knobs');
    const parsed = schema.parse(others, 'knobs');
    if (typeof parsed !== 'object' || parsed === null) {
      throw new WireError('internal', `the knobs_schema of ${manifest.type} does not describe an object`);
    }
    // Frozen like all stored data. The request was size-checked; defaults come from the adapter.
    return copyJsonObject({ ...parsed, close_by: closeBy }, 'knobs', { maxDepth: 64, maxBytes: MAX_MANIFEST_BYTES });
  };
}

/** Throws for JSON Schema features that zod cannot enforce. */
function schemaFromJson({ type, version, knobs_schema }: Manifest): z.ZodType {
  try {
    return z.fromJSONSchema(knobs_schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (cause) {
    const message = `manifest.knobs_schema of ${type} version ${version} cannot be enforced: ${asError(cause).message}`;
    throw new HubError('bad_knobs_schema', message, { cause });
  }
}
