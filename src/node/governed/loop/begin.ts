/** Where the loop starts from: a new run, or the one that is there, however it was left. */

import type { RunState } from '../../../governed/index.ts';
import { type Journey, type Stop, stateNow, stop } from './journey.ts';

/** null = there is a run to go on with. */
export async function beginRun(journey: Journey): Promise<Stop | null> {
  const { runner, root, config, options, tell } = journey;
  const state = await stateNow(journey);
  const isAgain = isBegunAnew(state, journey);
  if (state !== null && state.status !== 'idle' && !isAgain) return null;
  const begun = await runner.initRun(root, config, {
    provenance: options.provenance ?? null,
    inherited_context: options.inheritedContext ?? null,
    ...(isAgain ? { allow_terminal_restart: true } : {}),
  });
  if (begun.ok) return null;
  tell.problem(begun.error_code, begun.error);
  return stop('init_failed');
}

function isBegunAnew(state: RunState | null, { options }: Journey): boolean {
  if (state?.status === 'completed') return options.startNewRunFromCompleted === true;
  return state?.status === 'blocked' && options.startNewRunFromBlocked === true;
}
