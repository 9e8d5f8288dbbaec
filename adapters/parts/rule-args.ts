/** Checks the arguments of conditions and targets; unknown arguments are rejected. */

import type { FieldProblem, Json, JsonObject } from 'parley-hub/core';
import { isObject, shown } from './field-error.ts';

export interface ArgRule {
  readonly expected: string;
  readonly optional?: true;
  holds(value: Json): boolean;
}

export type ArgRules = { readonly [name: string]: ArgRule };

/** Builds the `checkArgs` of a part with exactly these arguments. */
export function argsOf(rules: ArgRules): (args: JsonObject) => FieldProblem | null {
  return (args) => {
    const unknown = Object.keys(args).find((name) => !Object.hasOwn(rules, name));
    if (unknown !== undefined) return { field: unknown, expected: known(rules), received: shown(args[unknown]) };
    for (const [field, { expected, optional, holds }] of Object.entries(rules)) {
      const value = Object.hasOwn(args, field) ? args[field] : undefined;
      const isFine = value === undefined ? optional === true : holds(value);
      if (!isFine) return { field, expected, received: shown(value) };
    }
    return null;
  };
}

function known(rules: ArgRules): string {
  const names = Object.keys(rules);
  return names.length === 0 ? 'no arguments' : `one of ${names.join(', ')}`;
}

const MAX_REASON = 256;

export function isReason(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_REASON;
}

export const reasonArg: ArgRule = { expected: `text of 1 to ${MAX_REASON} characters`, holds: isReason };
export const participantArg: ArgRule = { expected: 'a participant', holds: isText };
export const participants: ArgRule = {
  expected: 'a list of participants, each of them once',
  holds: (value) => isFull(value) && value.every(isText) && new Set(value).size === value.length,
};
export const nameArg: ArgRule = { expected: 'a name', holds: isText };
export const keyArg: ArgRule = { expected: 'the name of a context variable', holds: isText };
export const anything: ArgRule = { expected: 'a value', holds: () => true };
export const numberArg: ArgRule = { expected: 'a number', holds: (value) => typeof value === 'number' };
export const flagArg: ArgRule = {
  expected: 'true or false',
  optional: true,
  holds: (flag) => typeof flag === 'boolean',
};
export const texts: ArgRule = {
  expected: 'a list of 1 to 16 texts',
  holds: (value) => isFull(value) && value.length <= 16 && value.every(isText),
};
export const conditionArg: ArgRule = { expected: 'a condition', holds: isObject };
export const conditions: ArgRule = { expected: 'a list of conditions', holds: isFull };

function isText(value: Json): boolean {
  return typeof value === 'string' && value !== '';
}

function isFull(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0;
}
