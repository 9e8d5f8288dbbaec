/** What the suites of conditions and targets are told. */

import assert from 'node:assert/strict';
import { isPlainObject, type JsonObject } from '../../core/lib/json.ts';

export interface PartCheckOptions {
  /** Arguments it takes, with ids (`id-alice`, `id-bob`, `id-carol`, `id-dave`) for participants. At least one. */
  readonly args: readonly JsonObject[];
  /** Arguments `checkArgs` must refuse. */
  readonly badArgs?: readonly JsonObject[];
}

/** What was given for options, which tests in JavaScript may get wrong. */
export function checkOptions(options: unknown): void {
  const { args, badArgs = [] } = (isPlainObject(options) ? options : {}) as Partial<Record<string, unknown>>;
  const lists = Object.entries({ args, badArgs });
  for (const [name, list] of lists) {
    const isList = Array.isArray(list) && list.every(isPlainObject);
    const needs = `options: expected ${name} to be a list of argument objects, such as {${name}: [{}]}`;
    assert.ok(isList, `${needs}; got ${list === undefined ? 'nothing' : JSON.stringify(list)}`);
  }
  assert.ok(
    Array.isArray(args) && args.length > 0,
    'options: expected at least one set of arguments in args, got none',
  );
}
