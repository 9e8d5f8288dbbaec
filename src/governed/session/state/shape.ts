/** Reads envelope data: each reader returns the value, or throws with the field, the expected and the actual value. */

import { ProtocolError } from '../../../core/lib/errors.ts';
import { describeValue, type Json } from '../../../core/lib/json.ts';
import { msFromIso } from '../../../core/lib/time.ts';
import {
  getOwn,
  isMissing,
  isNonEmptyText,
  isOneOf,
  isRecord,
  type UnknownRecord,
} from '../../engine/lib/unknown-record.ts';

export type Reader<T> = (value: unknown, field: string) => T;

export function misread(field: string, expected: string, value: unknown): ProtocolError {
  const received = describeValue(value);
  return new ProtocolError(`${field}: expected ${expected}, got ${received}`, { field, expected, received });
}

function reader<T>(expected: string, is: (value: unknown) => value is T): Reader<T> {
  return (value, field) => {
    if (is(value)) return value;
    throw misread(field, expected, value);
  };
}

export const text: Reader<string> = reader('a text that is not empty', isNonEmptyText);
export const anyText: Reader<string> = reader('a text', (value) => typeof value === 'string');
export const flag: Reader<boolean> = reader('true or false', (value) => typeof value === 'boolean');
export const amount: Reader<number> = reader('a number', (value) => typeof value === 'number');
export const whole: Reader<number> = reader(
  'a whole number of 0 or more',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const time: Reader<string> = reader(
  'a time such as 2026-01-31T12:00:00.000Z',
  (value): value is string => isNonEmptyText(value) && !Number.isNaN(msFromIso(value)),
);
export const anything: Reader<UnknownRecord> = reader('an object', isRecord);

export const json: Reader<Json> = (value, field) => {
  if (value === undefined) throw misread(field, 'a value', value);
  // Envelope data is JSON.
  return value as Json;
};

export function oneOf<T extends string>(values: readonly T[]): Reader<T> {
  return reader(`one of ${values.join(', ')}`, (value): value is T => isOneOf(values, value));
}

export function listOf<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, field) => {
    if (!Array.isArray(value)) throw misread(field, 'a list', value);
    return value.map((one, at) => item(one, `${field}.${at}`));
  };
}

export function recordOf<T>(member: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, field) => {
    const entries = Object.entries(anything(value, field));
    return Object.fromEntries(entries.map(([key, one]) => [key, member(one, `${field}.${key}`)]));
  };
}

export function orNull<T>(given: Reader<T>): Reader<T | null> {
  return or(given, null);
}

/** Returns the fallback if the value is absent or null. */
export function or<T, F>(given: Reader<T>, fallback: F): Reader<T | F> {
  return (value, field) => (isMissing(value) ? fallback : given(value, field));
}

/** Reads the named members and drops the others. */
export function object<T extends object>(members: { readonly [Key in keyof T]: Reader<T[Key]> }): Reader<T> {
  return (value, field) => {
    const record = anything(value, field);
    const prefix = field === '' ? '' : `${field}.`;
    const read = Object.entries<Reader<unknown>>(members).map(([key, member]) => [
      key,
      member(getOwn(record, key), `${prefix}${key}`),
    ]);
    // Each member was read by its own reader.
    return Object.fromEntries(read) as T;
  };
}
