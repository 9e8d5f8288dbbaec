/** The contract suite of views, for vitest: `describeView(mine)` in a test file is all it takes. */

import { describe, it } from 'vitest';
import type { View } from '../core/ports/view.ts';
import { viewChecks } from './view-checks.ts';
import type { ViewCheckOptions } from './view-contract/trial.ts';

export interface DescribeViewOptions extends ViewCheckOptions {
  /** Tells two suites over one view apart. */
  readonly name?: string;
}

export function describeView(view: View, options: DescribeViewOptions = {}): void {
  describe(options.name ?? `view ${view.name} ${view.version}`, () => {
    for (const { title, run } of viewChecks(view, options)) it(title, run);
  });
}
