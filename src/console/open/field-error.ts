/** What the hub says against a session, as an error of a field of the form. Pure. */

import { WireError } from '../../core/lib/errors.ts';
import type { FieldError } from '../parts/form/field-errors.ts';

/** The hub says `knobs.rounds: expected …` and names the field; what is about no field is about all of it. */
export function fieldError(thrown: unknown, reason: string): FieldError {
  const field = thrown instanceof WireError ? thrown.details?.field : undefined;
  if (!(thrown instanceof WireError) || typeof field !== 'string') return { field: '', message: reason };
  const { message } = thrown;
  return { field, message: message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message };
}
