/** Tells a session that there will be no answer: of a turn as its failure, and where nobody has the turn as a task that failed. */

import { shorten } from '../client/connection/connection.ts';
import type { CancelSignal, Clock } from '../core/ports/platform.ts';
import type { TakenTurn } from './joining/handlers.ts';
import { tryAgain } from './lib/retry.ts';

const MOST_REASON = 1_000;
const TRIES = 5;

/** `since` null = nobody has the turn. */
export function reportFailure(
  turn: TakenTurn,
  since: number | null,
  error: Error,
  clock: Clock,
  signal: CancelSignal,
): Promise<void> {
  const reason = shorten(error.message === '' ? error.name : error.message, MOST_REASON) || 'the agent failed';
  return tryAgain(() => (since === null ? failTask(turn, reason) : failTurn(turn, since, reason)), {
    tries: TRIES,
    // Of a link that was lost meanwhile nobody knows whether it was heard; to say it again changes nothing.
    pauseMs: ({ code }, tries) => (code === 'unavailable' ? 500 * tries : null),
    clock,
    signal,
  });
}

/** Only of the turn that failed: by then it may be another. */
async function failTurn({ session }: TakenTurn, since: number, reason: string): Promise<void> {
  const { turn } = await session.info();
  if (turn?.since_seq === since) await session.failTurn(reason);
}

async function failTask({ session, idempotencyKey, from }: TakenTurn, reason: string): Promise<void> {
  const task = await session.startTask('answer', { key: `${idempotencyKey}:failed`, requester: from ?? undefined });
  await task.fail(reason);
}
