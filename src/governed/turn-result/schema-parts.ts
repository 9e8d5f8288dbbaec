/** What the parts of the schema stage share. */

import { isTemplate } from '../engine/lib/patterns.ts';
import { isFilled, isMissing } from '../engine/lib/unknown-record.ts';
import { type Fault, unlike } from './fault.ts';

export function unfilled(field: string): Fault {
  return { error_field: field, detail: `${field}: a template that nobody has filled in` };
}

/** A text that says something: not blank, and not a template. */
export function textFaults(field: string, value: unknown): readonly Fault[] {
  if (!isFilled(value)) return [unlike(field, 'a text with something in it')];
  return isTemplate(value) ? [unfilled(field)] : [];
}

/** An array, each member of which is looked at; absent is fine. */
export function eachOf(
  field: string,
  list: unknown,
  look: (at: string, one: unknown) => readonly Fault[],
): readonly Fault[] {
  if (isMissing(list)) return [];
  if (!Array.isArray(list)) return [unlike(field, 'an array')];
  return list.flatMap((one: unknown, at) => look(`${field}[${at}]`, one));
}
