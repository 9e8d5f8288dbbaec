/** Checks expectation parameters: numbers within bounds, and seconds. */

import type { FieldProblem, JsonObject } from 'parley-hub/core';

export interface NumberParam {
  readonly least: number;
  readonly most: number;
  /** Allows fractions; default whole numbers only. */
  readonly fractions?: boolean;
}

/** Requires at least one parameter and rejects unknown ones. Returns null if all are valid. */
export function checkNumbers(params: JsonObject, known: Readonly<Record<string, NumberParam>>): FieldProblem | null {
  const names = Object.keys(known);
  const unknown = Object.keys(params).find((name) => !names.includes(name));
  if (unknown !== undefined)
    return { field: unknown, expected: `one of ${names.join(', ')}`, received: `"${unknown}"` };
  const given = Object.entries(params);
  if (given.length === 0)
    return {
      field: names[0] ?? '',
      expected: names.map((name) => `${name} (${inWords(known[name])})`).join(' or '),
      received: 'nothing',
    };
  const wrong = given.find(([name, value]) => !isWithin(value, known[name]));
  if (wrong === undefined) return null;
  return { field: wrong[0], expected: inWords(known[wrong[0]]), received: JSON.stringify(wrong[1]) };
}

function isWithin(value: unknown, { least, most, fractions = false }: NumberParam = NOTHING): boolean {
  const isKind = typeof value === 'number' && (fractions ? Number.isFinite(value) : Number.isSafeInteger(value));
  return isKind && value >= least && value <= most;
}

const NOTHING: NumberParam = { least: 1, most: 0 };

function inWords({ least, most, fractions = false }: NumberParam = NOTHING): string {
  return `${fractions ? 'a number' : 'a whole number'} from ${least} to ${most}`;
}

const MAX_SECONDS = 36_500 * 86_400;

/** Requires `seconds`, allows `flags` and rejects other parameters. Returns null if all are valid. */
export function checkTimed(params: JsonObject, flags: readonly string[] = []): FieldProblem | null {
  const known = ['seconds', ...flags];
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown !== undefined)
    return { field: unknown, expected: `one of ${known.join(', ')}`, received: `"${unknown}"` };
  const { seconds } = params;
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MAX_SECONDS)) {
    const received = seconds === undefined ? 'nothing' : JSON.stringify(seconds);
    return { field: 'seconds', expected: 'more than 0 seconds (at most 36500 days)', received };
  }
  const wrong = flags.find((name) => params[name] !== undefined && typeof params[name] !== 'boolean');
  if (wrong === undefined) return null;
  return { field: wrong, expected: 'true or false', received: JSON.stringify(params[wrong]) };
}

/** Rounded up, so that no deadline fires early. */
export function msOf(params: JsonObject): number {
  return Math.ceil(Number(params.seconds) * 1000);
}
