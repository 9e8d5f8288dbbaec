/** The contract suites for vitest of what third parties write: one call in a test file is all it takes. */

import { describe, it } from 'vitest';
import type { SessionAdapter } from '../core/ports/adapter.ts';
import type { Evaluator, ViolationHandler } from '../core/ports/expectation.ts';
import type { Condition, Target } from '../core/ports/transition.ts';
import type { View } from '../core/ports/view.ts';
import { adapterChecks } from './adapter-contract/adapter-checks.ts';
import type { AdapterCheckOptions } from './adapter-contract/trial.ts';
import { evaluatorChecks, handlerChecks } from './expectation-contract/checks.ts';
import type { EvaluatorCheckOptions } from './expectation-contract/options.ts';
import { conditionChecks, type PartCheckOptions, targetChecks } from './rule-part-contract/part-checks.ts';
import { viewChecks } from './view-contract/checks.ts';
import type { ViewCheckOptions } from './view-contract/trial.ts';

export function describeCondition(condition: Condition, options: PartCheckOptions): void {
  describe(`condition ${condition.name} ${condition.version}`, () => {
    for (const { title, run } of conditionChecks(condition, options)) it(title, run);
  });
}

export function describeTarget(target: Target, options: PartCheckOptions): void {
  describe(`target ${target.name} ${target.version}`, () => {
    for (const { title, run } of targetChecks(target, options)) it(title, run);
  });
}

export interface DescribeAdapterOptions extends AdapterCheckOptions {
  /** Tells two suites over one adapter apart. */
  readonly name?: string;
}

export function describeAdapter<State>(adapter: SessionAdapter<State>, options: DescribeAdapterOptions = {}): void {
  const { type, version } = adapter.manifest;
  describe(options.name ?? `session adapter ${type} ${version}`, () => {
    for (const { title, run } of adapterChecks(adapter, options)) it(title, run);
  });
}

export interface DescribeViewOptions extends ViewCheckOptions {
  /** Tells two suites over one view apart. */
  readonly name?: string;
}

export function describeView(view: View, options: DescribeViewOptions = {}): void {
  describe(options.name ?? `view ${view.name} ${view.version}`, () => {
    for (const { title, run } of viewChecks(view, options)) it(title, run);
  });
}

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
