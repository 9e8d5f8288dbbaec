/** Posts an answer under the key of its turn: what is refused for now is sent again, and nothing is accepted twice. */

import type { Content, SendOptions, Session } from '../client/index.ts';
import type { PostAnswer } from '../core/admit.ts';
import { WireError } from '../core/errors.ts';
import type { CancelSignal, Clock } from '../core/ports.ts';
import { pause } from './pause.ts';

const TRIES = 20;
const LONGEST_PAUSE_MS = 5_000;

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
  for (let tries = 1; ; tries += 1) {
    try {
      return { kind: 'accepted', answer: await session.send(content, options) };
    } catch (thrown) {
      const why = lateness(thrown);
      if (why !== null) return { kind: 'late', why };
      const waitMs = tries < TRIES ? pauseAfter(thrown, tries) : null;
      if (waitMs === null || !(await pause(waitMs, clock, signal))) throw thrown;
    }
  }
}

function lateness(thrown: unknown): string | null {
  if (!(thrown instanceof WireError)) return null;
  if (thrown.code === 'duplicate') return 'this turn was answered before';
  return thrown.code === 'not_your_turn' || thrown.code === 'session_closed' ? thrown.message : null;
}

/** null = the same again would be refused again. */
function pauseAfter(thrown: unknown, tries: number): number | null {
  if (!(thrown instanceof WireError)) return null;
  const { code, details } = thrown;
  if (code === 'rate_limited') return Math.max(1, Number(details?.retry_after_ms ?? 1_000));
  const mayPass = code === 'inbox_full' || code === 'unavailable' || code === 'timeout';
  return mayPass ? Math.min(LONGEST_PAUSE_MS, 100 * 2 ** tries) : null;
}
