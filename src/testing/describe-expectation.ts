/** The contract suites of evaluators and handlers, for vitest: one call in a test file is all it takes. */

import { describe, it } from 'vitest';
import type { Evaluator, ViolationHandler } from '../core/expectation.ts';
import { type EvaluatorCheckOptions, evaluatorChecks, handlerChecks } from './expectation-contract/checks.ts';

export function describeEvaluator(evaluator: Evaluator, options: EvaluatorCheckOptions): void {
  describe(`evaluator ${evaluator.name} ${evaluator.version}`, () => {
    for (const { title, run } of evaluatorChecks(evaluator, options)) it(title, run);
  });
}

export function describeHandler(handler: ViolationHandler): void {
  describe(`handler ${handler.name} ${handler.version}`, () => {
    for (const { title, run } of handlerChecks(handler)) it(title, run);
  });
}
