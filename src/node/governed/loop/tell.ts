/** Tells the caller what happens, one thing after the other, and keeps what went wrong. */

import { type Patience, settled } from './settled.ts';
import type { LoopCallbacks, LoopError, LoopEvent } from '../../../governed/loop/types.ts';

export interface Tell {
  readonly errors: readonly LoopError[];
  /** Resolves when the caller has heard it. */
  event(event: LoopEvent): Promise<void>;
  problem(code: string, message: string, turnId?: string | null): void;
}

export function tellerOf({ onEvent }: Pick<LoopCallbacks, 'onEvent'>, patience: Patience): Tell {
  const errors: LoopError[] = [];
  const problem: Tell['problem'] = (code, message, turn_id = null) => void errors.push({ code, message, turn_id });
  let last: Promise<void> = Promise.resolve();
  return {
    errors,
    problem,
    event(event) {
      last = last.then(async () => {
        const heard = await settled(() => onEvent?.(event), patience);
        if (heard.kind === 'threw') problem('callback_threw', `onEvent(${event.type}): ${heard.error.message}`);
        if (heard.kind === 'left') problem('callback_left', `onEvent(${event.type}) did not end`);
      });
      return last;
    },
  };
}
