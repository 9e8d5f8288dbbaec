/** The `dispatch` of a loop that leaves every turn to the adapter of its runtime. */

import type { Turn } from '../index.ts';
import type { CreateAdapterOptions } from '../drivers/create-driver.ts';
import { dispatchAnswer } from '../../node/governed/adapters/loop-answer.ts';
import { runAdapter } from '../../node/governed/adapters/when-needed.ts';
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
    const asked = { ...options, seal: { verifyManifest: true }, digest: bundleDigest, signal };
    if (!(await isHeld(root, turn))) return dispatchAnswer(await runAdapter(root, config, turn, asked));
    const waiting = { ...config, runtimes: { ...config.runtimes, [turn.runtime_id]: WAITING } };
    return dispatchAnswer(await runAdapter(root, waiting, turn, { ...asked, write: undefined }));
  };
}

/** Somebody in the hub that serves the run was told of the turn there, and what they say is staged. */
const WAITING = { type: 'manual', poll_interval_ms: 250 };

async function isHeld(root: string, { assigned_role }: Turn): Promise<boolean> {
  const { readServedNote } = await import('../runner/served/served-note.ts');
  const note = await readServedNote(root);
  return note !== null && Object.hasOwn(note.roles, assigned_role);
}
