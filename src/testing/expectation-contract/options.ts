/** What a check of evaluators and handlers is, and the options that their suite takes. */

import assert from 'node:assert/strict';
import { describeValue, isPlainObject, type JsonObject } from '../../core/lib/json.ts';

export interface ExpectationCheck {
  readonly title: string;
  /** Throws an error that says what was expected. */
  run(): void;
}

export interface EvaluatorCheckOptions {
  /** Parameters it takes. At least one. */
  readonly params: readonly JsonObject[];
  /** Parameters `checkParams` must refuse. */
  readonly badParams?: readonly JsonObject[];
}

const KNOWN: readonly string[] = ['params', 'badParams'];

/** What was given for options, which tests in JavaScript may get wrong. */
export function checkedOptions(options: unknown): Required<EvaluatorCheckOptions> {
  const such = 'such as {params: [{seconds: 5}], badParams: [{}]}';
  assert.ok(isPlainObject(options), `options: expected an object ${such}, got ${describeValue(options)}`);
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  assert.ok(unknown === undefined, `options.${unknown}: there is no such option; there are ${KNOWN.join(', ')}`);
  const { params, badParams = [] } = options;
  for (const [name, list] of Object.entries({ params, badParams })) {
    const isList = Array.isArray(list) && list.every(isPlainObject);
    assert.ok(isList, `options.${name}: expected a list of parameter objects, ${such}, got ${describeValue(list)}`);
  }
  const lists = { params, badParams } as Required<EvaluatorCheckOptions>;
  assert.ok(lists.params.length > 0, `options.params: expected at least one set of parameters, ${such}, got none`);
  return lists;
}
