/** Posts an answer under the key of its turn, or reports its failure. Retries temporary rejections. */

import { truncateReason } from '../../client/connection/connection-types.ts';
import type { Content, SendOptions, Session } from '../../client/index.ts';
import type { PostAnswer } from '../../core/decisions/admit.ts';
import { type WireCode, WireError } from '../../core/lib/errors.ts';
import type { CancelSignal, Clock } from '../../core/ports/platform.ts';
import { backoffMs, retry } from '../lib/retry.ts';
import type { AgentTurn } from './handlers.ts';

const TRIES = 20;
/** Temporary rejections, which are retried. */
const PASSES: readonly WireCode[] = ['rate_limited', 'inbox_full', 'unavailable', 'timeout'];

/** `late`: the turn has ended, or an earlier run answered it. */
type PostResult =
  | { readonly kind: 'accepted'; readonly answer: PostAnswer }
  | { readonly kind: 'late'; readonly why: string };

export async function postAnswer(
  session: Session,
  content: Content,
  options: SendOptions,
  clock: Clock,
  signal: CancelSignal,
): Promise<PostResult> {
  const pauseMs = (refused: WireError, tries: number): number | null =>
    PASSES.includes(refused.code) ? backoffMs(refused, tries) : null;
  try {
    const answer = await retry(() => session.send(content, options), { tries: TRIES, pauseMs, clock, signal });
    return { kind: 'accepted', answer };
  } catch (thrown) {
    const why = lateness(thrown);
    if (why === null) throw thrown;
    return { kind: 'late', why };
  }
}

function lateness(thrown: unknown): string | null {
  if (!(thrown instanceof WireError)) return null;
  if (thrown.code === 'duplicate') return 'this turn was already answered';
  return thrown.code === 'not_your_turn' || thrown.code === 'session_closed' ? thrown.message : null;
}

const MAX_REASON = 1_000;
const FAILURE_TRIES = 5;

/** `since` is null if nobody has the turn. */
export function reportFailure(
  turn: AgentTurn,
  since: number | null,
  error: Error,
  clock: Clock,
  signal: CancelSignal,
): Promise<void> {
  const reason = truncateReason(error.message === '' ? error.name : error.message, MAX_REASON) || 'the agent failed';
  return retry(() => (since === null ? failTask(turn, reason) : failTurn(turn, since, reason)), {
    tries: FAILURE_TRIES,
    // A lost connection leaves the outcome unknown; reporting twice is harmless.
    pauseMs: ({ code }, tries) => (code === 'unavailable' ? 500 * tries : null),
    clock,
    signal,
  });
}

/** Fails only this turn: the session may already have moved to another. */
async function failTurn({ session }: AgentTurn, since: number, reason: string): Promise<void> {
  const { turn } = await session.info();
  if (turn?.since_seq === since) await session.failTurn(reason);
}

async function failTask({ session, idempotencyKey, from }: AgentTurn, reason: string): Promise<void> {
  const task = await session.startTask('answer', { key: `${idempotencyKey}:failed`, requester: from ?? undefined });
  await task.fail(reason);
}
