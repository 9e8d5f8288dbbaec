/** Posts an answer under the key of its turn: what is refused for now is sent again, and nothing is accepted twice. */

import type { Content, SendOptions, Session } from '../client/index.ts';
import type { PostAnswer } from '../core/decisions/admit.ts';
import { type WireCode, WireError } from '../core/lib/errors.ts';
import type { CancelSignal, Clock } from '../core/ports/platform.ts';
import { growingPause, tryAgain } from './lib/retry.ts';

const TRIES = 20;
/** Refused for now. */
const PASSES: readonly WireCode[] = ['rate_limited', 'inbox_full', 'unavailable', 'timeout'];

/** late = the turn is over, or an earlier run has answered it. */
export type Posted =
  | { readonly kind: 'accepted'; readonly answer: PostAnswer }
  | { readonly kind: 'late'; readonly why: string };

export async function postAnswer(
  session: Session,
  content: Content,
  options: SendOptions,
  clock: Clock,
  signal: CancelSignal,
): Promise<Posted> {
  const pauseMs = (refused: WireError, tries: number): number | null =>
    PASSES.includes(refused.code) ? growingPause(refused, tries) : null;
  try {
    const answer = await tryAgain(() => session.send(content, options), { tries: TRIES, pauseMs, clock, signal });
    return { kind: 'accepted', answer };
  } catch (thrown) {
    const why = lateness(thrown);
    if (why === null) throw thrown;
    return { kind: 'late', why };
  }
}

function lateness(thrown: unknown): string | null {
  if (!(thrown instanceof WireError)) return null;
  if (thrown.code === 'duplicate') return 'this turn was answered before';
  return thrown.code === 'not_your_turn' || thrown.code === 'session_closed' ? thrown.message : null;
}
