/** What is given to make an entry of, which programs in JavaScript may get wrong. */

import { HubError } from 'parley-hub/core';

export function refusal(what: string, expected: string, received: unknown): HubError {
  return new HubError('bad_value', `${what}: expected ${expected}, got ${shown(received)}`);
}

export function checkOptions(name: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refusal(`${name}: options`, 'an object', options);
  }
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown === undefined) return;
  const such = known.length === 0 ? 'no options' : `an option that there is (${known.join(', ')})`;
  throw refusal(`${name}: ${unknown}`, such, unknown);
}

export function checkTimes(name: string, seconds: unknown, onViolation: unknown, appliesTo: unknown): void {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) {
    throw refusal(`${name}: seconds`, 'a number > 0', seconds);
  }
  checkEntry(name, onViolation, appliesTo);
}

/** What entries of every kind have. */
export function checkEntry(name: string, onViolation: unknown, appliesTo: unknown): void {
  if (!isName(onViolation)) throw refusal(`${name}: onViolation`, 'the name of a handler, such as "warn"', onViolation);
  const isList = Array.isArray(appliesTo) && appliesTo.length > 0 && appliesTo.every(isName);
  if (appliesTo !== undefined && !isList) {
    throw refusal(`${name}: appliesTo`, 'a list of at least one role or participant', appliesTo);
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'function') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
