/** One round: dispatches its turns concurrently and handles the results one at a time, in order of arrival. */

import type { Turn } from '../engine/index.ts';
import { dispatchTurn, writeAttemptBundle } from './dispatch-turn.ts';
import { handleResult } from './handle-result.ts';
import { failedAt, isAborted, type LoopContext, type Stop, stop } from './loop-context.ts';

/** null = continue the loop. The first reason to stop wins. */
export async function runRound(loop: LoopContext, turns: readonly Turn[]): Promise<Stop | null> {
  const { tell } = loop;
  if (turns.length > 1) await tell.event({ type: 'parallel_dispatch', turns });
  const inTurn = queue();
  const ends: Stop[] = [];
  const one = async (turn: Turn): Promise<void> => {
    const bundle = await inTurn(() => writeAttemptBundle(loop, turn));
    if (!bundle.ok) return void ends.push(await inTurn(() => notSent(loop, turn, bundle)));
    if (isAborted(loop)) return void ends.push(stop('aborted'));
    loop.turnsExecuted += 1;
    const came = await dispatchTurn(loop, turn, bundle);
    const end = await inTurn(() => handleResult(loop, turn, came));
    if (end !== null) ends.push(end);
  };
  await Promise.all(turns.map(one));
  return ends[0] ?? null;
}

/** A hook that blocks needs an operator; the next loop retries any other failure. */
async function notSent(loop: LoopContext, turn: Turn, failure: { error: string; error_code: string }): Promise<Stop> {
  const { runner, root, tell } = loop;
  const failed = failedAt(loop, failure, turn.turn_id);
  if (!failure.error_code.startsWith('hook_')) return failed;
  const blocked = await runner.markRunBlocked(root, {
    blockedOn: `hook:after_dispatch:${turn.assigned_role}`,
    category: failure.error_code,
    recovery: { detail: failure.error },
    turnId: turn.turn_id,
  });
  if (!blocked.ok) return failed;
  await tell.event({ type: 'blocked', state: blocked.state });
  return stop('blocked');
}

/** Serialises runner calls: each sees the changes of the one before. */
function queue(): <T>(perform: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (perform) => {
    const next = last.then(perform);
    last = next.catch(() => undefined);
    return next;
  };
}
