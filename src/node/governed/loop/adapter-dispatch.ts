/** The `dispatch` of a loop that leaves every turn to the adapter of its runtime. */

import type { CreateAdapterOptions } from '../adapters/create-adapter.ts';
import { dispatchAnswer } from '../adapters/loop-answer.ts';
import { runAdapter } from '../adapters/when-needed.ts';
import type { DispatchContext, LoopAnswer } from './types.ts';

export interface AdapterDispatchOptions extends Omit<CreateAdapterOptions, 'signal'> {
  /** Comes before what adapters and config say. */
  readonly timeoutMs?: number | undefined;
}

/** A bundle goes out only as it was sealed. */
export function dispatchByAdapter(
  options: AdapterDispatchOptions = {},
): (context: DispatchContext) => Promise<LoopAnswer> {
  return async ({ root, config, turn, bundleDigest, dispatchAbortSignal: signal }) => {
    const seal = { verifyManifest: true };
    return dispatchAnswer(await runAdapter(root, config, turn, { ...options, seal, digest: bundleDigest, signal }));
  };
}
