/** Reads what there is to do, and again with pauses while the hub cannot tell; what is known of a turn that could not be read. */

import type { AgentClient, Session, TurnOffer } from '../client/index.ts';
import type { WireCode, WireError } from '../core/lib/errors.ts';
import type { CancelSignal } from '../core/ports/platform.ts';
import type { OpenTurn } from './joining/find-turn.ts';
import type { Joining } from './joining/join-options.ts';
import { growingPause, tryAgain } from './lib/retry.ts';

/** About a quarter of a minute in all. */
const TRIES = 8;
const PASSES: readonly WireCode[] = ['unavailable', 'timeout', 'internal', 'rate_limited'];

export function readPatiently<T>(
  read: () => Promise<T>,
  session: Session,
  { clock, log }: Pick<Joining, 'clock' | 'log'>,
  signal: CancelSignal,
): Promise<T> {
  return tryAgain(read, {
    tries: TRIES,
    pauseMs: (refused, tries) => (PASSES.includes(refused.code) ? growingPause(refused, tries) : null),
    onWait({ message }: WireError, waitMs) {
      log.warn('a turn could not be read, and is tried again', { session_id: session.id, error: message, waitMs });
    },
    clock,
    signal,
  });
}

/** As much as was heard of it: enough to say that it failed. */
export function unreadTurn(
  client: AgentClient,
  session: Session,
  { message }: Pick<TurnOffer, 'message'>,
): Pick<OpenTurn, 'turn' | 'since'> {
  const since = session.turn?.agent_id === client.agentId ? session.turn.since_seq : null;
  const seq = since ?? message?.envelope.seq ?? 0;
  const idempotencyKey = `turn:${session.id}:${seq}`;
  return { turn: { session, type: '', seq, from: null, text: '', idempotencyKey, resumed: false }, since };
}
