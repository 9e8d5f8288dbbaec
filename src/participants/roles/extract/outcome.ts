/** What one way to the metadata came to. */

import type { JsonObject } from '../../../core/lib/json.ts';
import { check, type ExtractIssue, type StandardSchema } from '../lib/standard-schema.ts';

export type Outcome<Meta> =
  /** `said` is what the schema took. */
  | { readonly kind: 'found'; readonly meta: Meta; readonly said: JsonObject }
  /** There was something, and it cannot be taken: nobody else may put something better in its place. */
  | { readonly kind: 'invalid'; readonly issues: readonly ExtractIssue[]; readonly said: string }
  /** Nothing was said, or this way is not open. `inAnswer` = who gave the answer can do something about it. */
  | { readonly kind: 'absent'; readonly why: string; readonly inAnswer?: true };

export async function judged<Meta>(schema: StandardSchema<Meta>, said: JsonObject): Promise<Outcome<Meta>> {
  const checked = await check(schema, said);
  if (checked.isValid) return { kind: 'found', meta: checked.value, said };
  return { kind: 'invalid', issues: checked.issues, said: JSON.stringify(said) };
}

export function invalid(message: string, said: string): Outcome<never> {
  return { kind: 'invalid', issues: [{ path: '', message }], said };
}
