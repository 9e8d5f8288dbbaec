/** The options of the evaluator suites, and the checks that all evaluators and handlers share. */

import assert from 'node:assert/strict';
import { describeValue, isPlainObject, type JsonObject } from '../../core/lib/json.ts';

import { doing } from '../lib/assertions.ts';
import type { Check } from '../lib/check.ts';
import { deepFreeze, usesClockOrRandom } from '../lib/purity.ts';
export interface EvaluatorCheckOptions {
  /** Valid parameters. At least one. */
  readonly params: readonly JsonObject[];
  /** Parameters `checkParams` must reject. */
  readonly badParams?: readonly JsonObject[];
}

const KNOWN: readonly string[] = ['params', 'badParams'];

/** Validates the options, because tests in JavaScript may pass anything. */
export function checkedOptions(options: unknown): Required<EvaluatorCheckOptions> {
  const such = 'such as {params: [{seconds: 5}], badParams: [{}]}';
  assert.ok(isPlainObject(options), `options: expected an object ${such}, got ${describeValue(options)}`);
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  assert.ok(unknown === undefined, `options.${unknown}: unknown option; valid options: ${KNOWN.join(', ')}`);
  const { params, badParams = [] } = options;
  for (const [name, list] of Object.entries({ params, badParams })) {
    const isList = Array.isArray(list) && list.every(isPlainObject);
    assert.ok(isList, `options.${name}: expected a list of parameter objects, ${such}, got ${describeValue(list)}`);
  }
  const lists = { params, badParams } as Required<EvaluatorCheckOptions>;
  assert.ok(lists.params.length > 0, `options.params: expected at least one set of parameters, ${such}, got none`);
  return lists;
}

/** `askAgain` must give the same answers as `ask`. */
export function pureChecks<Case>(
  cases: readonly Case[],
  ask: (one: Case) => unknown,
  askAgain: (one: Case) => unknown = ask,
): readonly Check[] {
  return [
    {
      title: '[EC4] it does not change its arguments',
      run() {
        for (const one of cases) {
          const answer = doing('with frozen arguments', () => ask(deepFreeze(structuredClone(one))));
          assert.deepStrictEqual(answer, ask(structuredClone(one)));
        }
      },
    },
    {
      title: '[EC4] it gives the same answers again, in any order, and from a tally that went through JSON',
      run() {
        const first = cases.map((one) => ask(structuredClone(one)));
        const backwards = cases.toReversed().map(askAgain);
        assert.deepStrictEqual(backwards.toReversed(), first, 'it keeps state, or uses randomness');
      },
    },
    {
      title: '[EC5] it uses no clock and no randomness, and does not wait',
      run() {
        const touched = usesClockOrRandom(() => cases.forEach((one) => void ask(one)));
        assert.deepStrictEqual(touched, [], `it must be pure, and used ${touched.join(', ')}`);
      },
    },
  ];
}
