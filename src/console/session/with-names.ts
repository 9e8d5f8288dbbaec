/** A value in which the ids of participants have their names beside them. Pure. */

import { isPlainObject, type Json } from '../../core/lib/json.ts';

export function withNames(value: Json | undefined, names: ReadonlyMap<string, string>): Json {
  const named = (text: string): string => (names.has(text) ? `${text} (${names.get(text)})` : text);
  if (typeof value === 'string') return named(value);
  if (Array.isArray(value)) return value.map((one: Json) => withNames(one, names));
  if (!isPlainObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [named(key), withNames(one, names)]));
}
