/** A schema, independent of its library: parses or rejects a value, and describes itself as JSON Schema. */

import type { JsonObject } from './json.ts';

export interface Schema<T> {
  /** `where` is the start of the field path in errors, such as `params`. */
  parse(value: unknown, where: string): T;
  jsonSchema(): JsonObject;
}
