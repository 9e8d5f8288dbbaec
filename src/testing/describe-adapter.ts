/** The contract suite of session adapters, for vitest: `describeAdapter(mine)` in a test file is all it takes. */

import { describe, it } from 'vitest';
import type { SessionAdapter } from '../core/ports/adapter.ts';
import { adapterChecks } from './adapter-contract/adapter-checks.ts';
import type { AdapterCheckOptions } from './adapter-contract/trial.ts';

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
