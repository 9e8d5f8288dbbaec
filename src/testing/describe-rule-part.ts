/** The contract suites of conditions and targets, for vitest: one call in a test file is all it takes. */

import { describe, it } from 'vitest';
import type { Condition, Target } from '../core/ports/transition.ts';
import { conditionChecks, type PartCheckOptions, targetChecks } from './rule-part-contract/part-checks.ts';

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
