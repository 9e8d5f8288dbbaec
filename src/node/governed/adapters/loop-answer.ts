/** What came of a dispatch, as a run loop is told it. */

import type { TurnResult } from '../../../governed/index.ts';
import type { AdapterOutcome } from '../../../governed/drivers/run-driver.ts';

export type DispatchAnswer =
  | { readonly accept: true; readonly turnResult: TurnResult }
  /** The turn is rejected, and tried again as long as it has tries. */
  | { readonly accept: false; readonly reason: string }
  /** Nothing would come of another try: the run waits for somebody, and the turn is kept. */
  | {
      readonly accept: false;
      readonly blocked: true;
      readonly reason: string;
      readonly blockedOn: `dispatch:${string}`;
      readonly recovery: string;
    };

export function dispatchAnswer(outcome: AdapterOutcome): DispatchAnswer {
  if (outcome.ok) return { accept: true, turnResult: outcome.turnResult };
  const { blocked, reason, error_class, detail, recovery } = outcome;
  const said = `${reason}: ${detail}`;
  if (!blocked) return { accept: false, reason: said };
  return { accept: false, blocked: true, reason: said, blockedOn: `dispatch:${error_class}`, recovery };
}
