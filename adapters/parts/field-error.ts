/** Errors about knobs and packets: they name the field, the expected and the received value. */

import { type FieldProblem, type Json, ProtocolError } from 'parley-hub/core';

export function fieldError(field: string, expected: string, value: unknown): ProtocolError {
  return problemError({ field, expected, received: shown(value) });
}

export function problemError(problem: FieldProblem): ProtocolError {
  const { field, expected, received } = problem;
  return new ProtocolError(`${field}: expected ${expected}, got ${received}`, { ...problem });
}

const MAX_SHOWN = 80;

/** The value as JSON, shortened between characters; a shortened text is shown with its length. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const characters = [...(JSON.stringify(value) ?? typeof value)];
  if (characters.length <= MAX_SHOWN) return characters.join('');
  const beginning = `${characters.slice(0, MAX_SHOWN - 3).join('')}...`;
  return typeof value === 'string' ? `${beginning} (${value.length} characters)` : beginning;
}

export function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
