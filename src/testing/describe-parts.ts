/** The contract suites for vitest, for extensions by third parties. */

import { describe, it } from 'vitest';
import type { SessionAdapter } from '../core/ports/adapter.ts';
import type { Evaluator, ViolationHandler } from '../core/ports/expectation.ts';
import type { Condition, Target } from '../core/ports/transition.ts';
import type { View } from '../core/ports/view.ts';
import { adapterChecks } from './adapter-contract/adapter-checks.ts';
import type { AdapterCheckOptions } from './adapter-contract/trial.ts';
import { evaluatorChecks, handlerChecks } from './expectation-contract/checks.ts';
import type { EvaluatorCheckOptions } from './expectation-contract/options.ts';
import type { Check } from './lib/check.ts';
import { conditionChecks, type PartCheckOptions, targetChecks } from './rule-part-contract/part-checks.ts';
import { viewChecks } from './view-contract/checks.ts';
import type { ViewCheckOptions } from './view-contract/trial.ts';

function suite(title: string, checks: readonly Check[]): void {
  describe(title, () => {
    for (const check of checks) it(check.title, check.run);
  });
}

export function describeCondition(condition: Condition, options: PartCheckOptions): void {
  suite(`condition ${condition.name} ${condition.version}`, conditionChecks(condition, options));
}

export function describeTarget(target: Target, options: PartCheckOptions): void {
  suite(`target ${target.name} ${target.version}`, targetChecks(target, options));
}

export interface DescribeAdapterOptions extends AdapterCheckOptions {
  /** Replaces the default title of the suite. */
  readonly name?: string;
}

export function describeAdapter<State>(adapter: SessionAdapter<State>, options: DescribeAdapterOptions = {}): void {
  const { type, version } = adapter.manifest;
  suite(options.name ?? `session adapter ${type} ${version}`, adapterChecks(adapter, options));
}

export interface DescribeViewOptions extends ViewCheckOptions {
  /** Replaces the default title of the suite. */
  readonly name?: string;
}

export function describeView(view: View, options: DescribeViewOptions = {}): void {
  suite(options.name ?? `view ${view.name} ${view.version}`, viewChecks(view, options));
}

export function describeEvaluator(evaluator: Evaluator, options: EvaluatorCheckOptions): void {
  const checks = evaluatorChecks(evaluator, options);
  suite(`evaluator ${evaluator.name} ${evaluator.version}`, checks);
}

export function describeHandler(handler: ViolationHandler): void {
  const checks = handlerChecks(handler);
  suite(`handler ${handler.name} ${handler.version}`, checks);
}
