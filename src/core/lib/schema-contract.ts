/** A schema, independent of its library: parses or rejects a value, and describes itself as JSON Schema. */

import type { JsonObject } from './json.ts';

export interface Schema<T> {
  /** `where` begins the field's path in an error, such as `params`. */
  parse(value: unknown, where: string): T;
  jsonSchema(): JsonObject;
}
