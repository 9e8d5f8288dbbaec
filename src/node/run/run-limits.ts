/** The bounds of a run, complete: what is not given is as usual, and what is wrong is refused by its name. */

import { isObject, optional, type Rule, type Rules } from '../../client/lib/option-checks.ts';
import { describe } from '../../core/lib/json.ts';
import { aBoundInTime, checkGiven, isFrom } from './given.ts';
import { DEFAULT_RUN_LIMITS, type RunLimitOptions, type RunLimits } from '../../participants/processes/program.ts';

/** What is kept is one text in the end, and those are not of any length. */
const MOST_KEPT_BYTES = 256 * 1024 * 1024;

const orNone = ({ expected, holds }: Rule): Rule => ({
  expected: `${expected}, or null for no bound`,
  holds: (value) => value === null || holds(value),
});

const milliseconds: Rule = { expected: 'a number of milliseconds from 0 on', holds: (value) => isFrom(0, value) };
const bytes: Rule = {
  expected: 'a whole number of bytes from 0 on',
  holds: (value) => isFrom(0, value) && Number.isInteger(value),
};
const keptBytes = (least: number): Rule => ({
  expected: `a whole number of bytes from ${least} to ${MOST_KEPT_BYTES}`,
  holds: (value) => isFrom(least, value) && Number.isInteger(value) && value <= MOST_KEPT_BYTES,
});

/** Without a grace nothing would ever be ended, and memory is bounded always. */
const RULES: Rules<RunLimits> = {
  wallMs: optional(aBoundInTime),
  firstOutputMs: optional(aBoundInTime),
  idleMs: optional(aBoundInTime),
  afterResultMs: optional(orNone(milliseconds)),
  graceMs: optional(milliseconds),
  maxCapturedBytes: optional(keptBytes(0)),
  maxOutputBytes: optional(orNone(bytes)),
  maxLineBytes: optional(keptBytes(1)),
};

/** Of several the last that is given counts, and undefined is not given. Throws TypeError. */
export function runLimits(...given: readonly RunLimitOptions[]): RunLimits {
  let limits = DEFAULT_RUN_LIMITS;
  for (const some of given) {
    if (!isObject(some)) throw new TypeError(`limits: expected an object, got ${describe(some)}`);
    checkGiven(some, RULES, 'limits.');
    limits = { ...limits, ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) };
  }
  return limits;
}
