/** How an expectation is set, and what comes of it if it is violated, in words. Pure. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import type { ExpectationStatus } from '../../../core/protocol/operations/console-sessions.ts';

export function expectationText({ params, on_violation }: Pick<ExpectationStatus, 'params' | 'on_violation'>): string {
  const given = Object.entries(params).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueWords(value)}`);
  return [given.join(', '), `if violated: ${on_violation.replaceAll('_', ' ')}`].filter((one) => one !== '').join('; ');
}

function valueWords(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

export function withNames(value: Json | undefined, names: ReadonlyMap<string, string>): Json {
  const named = (text: string): string => (names.has(text) ? `${text} (${names.get(text)})` : text);
  if (typeof value === 'string') return named(value);
  if (Array.isArray(value)) return value.map((one: Json) => withNames(one, names));
  if (!isPlainObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [named(key), withNames(one, names)]));
}
