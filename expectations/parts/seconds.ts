/** The parameter all timed expectations have. */

import type { FieldProblem, JsonObject } from 'parley-hub/core';

/** A century. */
const MOST_SECONDS = 36_500 * 86_400;

/** What is wrong with parameters of which only these are known, `seconds` among them. */
export function checkTimed(params: JsonObject, flags: readonly string[] = []): FieldProblem | null {
  const known = ['seconds', ...flags];
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown !== undefined)
    return { field: unknown, expected: `one of ${known.join(', ')}`, received: `"${unknown}"` };
  const { seconds } = params;
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MOST_SECONDS)) {
    const received = seconds === undefined ? 'nothing' : JSON.stringify(seconds);
    return { field: 'seconds', expected: 'more than 0 seconds (at most 36500 days)', received };
  }
  const wrong = flags.find((name) => params[name] !== undefined && typeof params[name] !== 'boolean');
  if (wrong === undefined) return null;
  return { field: wrong, expected: 'true or false', received: JSON.stringify(params[wrong]) };
}

/** In whole milliseconds, and not a part of one too early. */
export function msOf(params: JsonObject): number {
  return Math.ceil(Number(params.seconds) * 1000);
}
