/** What whoever runs programs gives, looked at before anything is started. */

import { checkOptions, isObject, type Rule, type Rules } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';

export const someTexts: Rule = {
  expected: 'a list of texts',
  holds: (value) => Array.isArray(value) && value.every(isText),
};
export const variables: Rule = {
  expected: 'texts by names without =',
  holds: (value) => isObject(value) && Object.entries(value).every(([name, text]) => isName(name) && isText(text)),
};
export const aBoundInTime: Rule = {
  expected: 'a number of milliseconds over 0, or null for no bound',
  holds: (value) => value === null || (isFrom(0, value) && value !== 0),
};

export function isFrom(least: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least;
}

/** Throws TypeError, which names the field. */
export function checkGiven<Options>(given: unknown, rules: Rules<Options>, where = ''): void {
  try {
    checkOptions(given, rules, where);
  } catch (error) {
    throw new TypeError(asError(error).message);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isName(name: string): boolean {
  return name !== '' && !/[=\0]/.test(name);
}
