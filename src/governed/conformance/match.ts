/** Compares expected with actual values, either as the corpus does or strictly. */

import { isMembers, type Members } from './fixture.ts';

type Asserted = Members & { readonly assert: string };

/** Path of the first difference, or null. `strict`: {} must be empty, null is not `present`, arrays are not objects. */
export function difference(expected: unknown, actual: unknown, strict: boolean, place = '$'): string | null {
  if (isAssert(expected)) return assertedDifference(expected, actual, strict, place);
  if (Array.isArray(expected)) return arrayDifference(expected, actual, strict, place);
  if (isMembers(expected)) return objectDifference(expected, actual, strict, place);
  return Object.is(expected, actual) ? null : place;
}

function assertedDifference(expected: Asserted, actual: unknown, strict: boolean, place: string): string | null {
  switch (expected.assert) {
    case 'present':
      return actual === undefined || (strict && actual === null) ? place : null;
    case 'nonempty_string':
      return typeof actual === 'string' && actual.trim() !== '' ? null : place;
    case 'id_prefix':
      return typeof actual === 'string' && actual.startsWith(String(expected.value)) ? null : place;
    case 'unordered_array':
      return anyOrder(expected.items, actual, strict) ? null : place;
    default:
      return `${place} (no such assertion: ${expected.assert})`;
  }
}

function anyOrder(items: unknown, actual: unknown, strict: boolean): boolean {
  if (!Array.isArray(items) || !Array.isArray(actual) || actual.length !== items.length) return false;
  const left: unknown[] = [...actual];
  return items.every((item) => {
    const at = left.findIndex((one) => difference(item, one, strict) === null);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

function arrayDifference(expected: readonly unknown[], actual: unknown, strict: boolean, place: string): string | null {
  if (!Array.isArray(actual) || actual.length !== expected.length) return place;
  for (const [at, one] of expected.entries()) {
    const found = difference(one, actual[at], strict, `${place}[${at}]`);
    if (found !== null) return found;
  }
  return null;
}

function objectDifference(expected: Members, actual: unknown, strict: boolean, place: string): string | null {
  if (typeof actual !== 'object' || actual === null || (strict && Array.isArray(actual))) return place;
  const given = actual as Members;
  const names = Object.keys(expected);
  if (strict && names.length === 0 && Object.keys(given).length > 0) return `${place} (nothing was expected in it)`;
  for (const name of names) {
    // `warnings_allowed` only informs readers of the fixture.
    if (name === 'warnings_allowed') continue;
    const member = Object.hasOwn(given, name) ? given[name] : undefined;
    const found = difference(expected[name], member, strict, `${place}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

function isAssert(value: unknown): value is Asserted {
  return isMembers(value) && typeof value.assert === 'string';
}
