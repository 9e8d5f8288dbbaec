/** Metadata as a message carries it: JSON. Pure. */

import { copyJsonObject, type JsonObject } from '../../core/lib/json.ts';

const LIMITS = { maxDepth: 32, maxBytes: Number.POSITIVE_INFINITY };

/** What the schema made; where that is no JSON, such as a date, what it was made of. */
export function postable(meta: unknown, said: JsonObject): JsonObject {
  try {
    return copyJsonObject(meta, 'meta', LIMITS);
  } catch {
    return said;
  }
}
