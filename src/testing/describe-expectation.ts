/** The contract suites of evaluators and handlers, for vitest: one call in a test file is all it takes. */

import { describe, it } from 'vitest';
import type { Evaluator, ViolationHandler } from '../core/ports/expectation.ts';
import { evaluatorChecks, handlerChecks } from './expectation-contract/checks.ts';
import type { EvaluatorCheckOptions } from './expectation-contract/options.ts';

export function describeEvaluator(evaluator: Evaluator, options: EvaluatorCheckOptions): void {
  const checks = evaluatorChecks(evaluator, options);
  describe(`evaluator ${evaluator.name} ${evaluator.version}`, () => {
    for (const { title, run } of checks) it(title, run);
  });
}

export function describeHandler(handler: ViolationHandler): void {
  const checks = handlerChecks(handler);
  describe(`handler ${handler.name} ${handler.version}`, () => {
    for (const { title, run } of checks) it(title, run);
  });
}
