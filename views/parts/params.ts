/** Parses the parameters of the built-in views; unknown ones are rejected. */

import { type Json, type JsonObject, ProtocolError } from 'parley-hub/core';

type ParamRules = Readonly<Record<string, ParamRule>>;

type ParamRule = (value: Json | undefined, refuse: (expected: string) => never) => Json;

export const wholeNumber: ParamRule = (value, refuse) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : refuse('a whole number ≥ 1');

export const flag: ParamRule = (value, refuse) =>
  value === undefined ? false : typeof value === 'boolean' ? value : refuse('true or false');

export function parseParams(view: string, params: JsonObject, rules: ParamRules): JsonObject {
  const known = Object.keys(rules);
  for (const field of Object.keys(params)) {
    if (!known.includes(field)) refuse(view, field, `one of ${known.join(', ')}`, field);
  }
  const parsed = known.map((field) => {
    const value = Object.hasOwn(params, field) ? params[field] : undefined;
    const wrong = (expected: string): never => refuse(view, field, expected, value);
    return [field, rules[field]?.(value, wrong) ?? null] as const;
  });
  return Object.fromEntries(parsed);
}

function refuse(view: string, field: string, expected: string, value: Json | undefined): never {
  const received = value === undefined ? 'nothing' : JSON.stringify(value);
  const shown = received.length > 80 ? `${received.slice(0, 77)}...` : received;
  throw new ProtocolError(`${view}: ${field}: expected ${expected}, got ${shown}`, {
    field,
    expected,
    received: shown,
  });
}
