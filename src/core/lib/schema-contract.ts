/** What a schema can do, whatever it is made of: parse or refuse by name, and describe itself as JSON Schema. */

import type { JsonObject } from './json.ts';

export interface Schema<T> {
  /** `where` begins the field's path in an error, such as `params`. */
  parse(value: unknown, where: string): T;
  jsonSchema(): JsonObject;
}
