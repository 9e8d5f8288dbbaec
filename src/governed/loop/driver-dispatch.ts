/** Creates the dispatch callback of a loop that uses the runtime drivers. */

import type { CreateAdapterOptions } from '../drivers/create-driver.ts';
import { runTurnWithDriver } from '../drivers/lazy.ts';
import type { DriverOutcome } from '../drivers/run-driver.ts';
import type { Turn, TurnResult } from '../engine/index.ts';
import type { DispatchContext, LoopAnswer } from './types.ts';

export interface AdapterDispatchOptions extends Omit<CreateAdapterOptions, 'signal'> {
  /** Overrides the timeouts of drivers and config. */
  readonly timeoutMs?: number | undefined;
}

/** Verifies the seal of each bundle before dispatch. */
export function dispatchByDriver(
  options: AdapterDispatchOptions = {},
): (context: DispatchContext) => Promise<LoopAnswer> {
  return async ({ root, config, turn, bundleDigest, dispatchAbortSignal: signal }) => {
    const asked = { ...options, seal: { verifyManifest: true }, digest: bundleDigest, signal };
    if (!(await isHeld(root, turn))) return dispatchAnswer(await runTurnWithDriver(root, config, turn, asked));
    const waiting = { ...config, runtimes: { ...config.runtimes, [turn.runtime_id]: WAITING } };
    return dispatchAnswer(await runTurnWithDriver(root, waiting, turn, { ...asked, write: undefined }));
  };
}

/** Driver config that only waits: the serving hub notified the role holder and stages the answer. */
const WAITING = { type: 'manual', poll_interval_ms: 250 };

async function isHeld(root: string, { assigned_role }: Turn): Promise<boolean> {
  const { readServedNote } = await import('../runner/served/served-note.ts');
  const note = await readServedNote(root);
  return note !== null && Object.hasOwn(note.roles, assigned_role);
}

export type DispatchAnswer =
  | { readonly accept: true; readonly turnResult: TurnResult }
  /** Rejects the attempt; the turn is retried while attempts remain. */
  | { readonly accept: false; readonly reason: string }
  /** Retrying is pointless: blocks the run and keeps the turn. */
  | {
      readonly accept: false;
      readonly blocked: true;
      readonly reason: string;
      readonly blockedOn: `dispatch:${string}`;
      readonly recovery: string;
    };

export function dispatchAnswer(outcome: DriverOutcome): DispatchAnswer {
  if (outcome.ok) return { accept: true, turnResult: outcome.turnResult };
  const { blocked, reason, error_class, detail, recovery } = outcome;
  const said = `${reason}: ${detail}`;
  if (!blocked) return { accept: false, reason: said };
  return { accept: false, blocked: true, reason: said, blockedOn: `dispatch:${error_class}`, recovery };
}
