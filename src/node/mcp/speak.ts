/** Says something once for the turn it answers, however often it is asked for, and tells what came of it. */

import type { Envelope } from '../../core/envelope.ts';
import { WireError } from '../../core/errors.ts';
import { canonicalJson, type JsonObject } from '../../core/json.ts';
import { isTerminal, nameOf } from '../../core/session.ts';
import { cursorText } from './cursor.ts';
import type { Participant } from './participant.ts';
import { Refusal } from './refusal.ts';
import { answeredSeq, recentlySaid, standingIn } from './standing.ts';
import type { Call } from './tool.ts';

export interface Content {
  readonly event_type: string;
  readonly event_data: JsonObject;
}

export interface Spoken {
  session: string;
  seq: number;
  already_said: boolean;
  state: string;
  expected: string | null;
  your_turn: boolean;
  cursor: string;
  next: string;
}

/** How much of what was said is shown to who would say something else. */
const SHOWN_CHARS = 500;

export async function speak(
  { participant }: Call,
  session_id: string,
  content: Content,
  turn: number | undefined,
): Promise<Spoken> {
  const answered = turn ?? (await derived(participant, session_id, content));
  if (typeof answered !== 'number') return spoken(participant, session_id, answered.seq, true);
  try {
    const idempotency_key = `mcp turn ${answered}`;
    const { seq, duplicate } = await participant.call('post', { ...content, session_id, idempotency_key });
    return await spoken(participant, session_id, seq, duplicate === true);
  } catch (thrown) {
    if (!(thrown instanceof WireError) || thrown.code !== 'duplicate') throw thrown;
    throw await otherwise(participant, session_id, thrown);
  }
}

/**
 * Nobody said which turn is answered: the one it is now. What one has said oneself, word for word, and nobody has answered
 * yet, was said by an earlier call.
 */
async function derived(participant: Participant, session_id: string, content: Content): Promise<number | Envelope> {
  const standing = await standingIn(participant, session_id);
  const recent = await recentlySaid(participant, session_id);
  const [last] = recent;
  if (last?.sender_id === standing.agentId && isSame(last, content)) return last;
  return answeredSeq(standing, recent);
}

function isSame({ event_type, event_data }: Envelope, content: Content): boolean {
  return event_type === content.event_type && canonicalJson(event_data) === canonicalJson(content.event_data);
}

async function otherwise(participant: Participant, session_id: string, error: WireError): Promise<Refusal> {
  const seq = Number(error.details?.seq);
  const { envelopes } = await participant.call('read_log', { session_id, from_seq: seq, limit: 1 });
  const { text, body } = envelopes[0]?.event_data ?? {};
  const was = String(text ?? body ?? '').slice(0, SHOWN_CHARS);
  return new Refusal(
    `already said otherwise: for this turn you said, as seq ${seq}: ${JSON.stringify(was)}. It stands and was not said again. ` +
      'Call wait_turn; to add something when you may, call say without turn.',
  );
}

async function spoken(
  participant: Participant,
  session_id: string,
  seq: number,
  already_said: boolean,
): Promise<Spoken> {
  const { session, turn, agentId } = await standingIn(participant, session_id);
  const isOver = isTerminal(session.state) || session.state === 'CLOSING';
  const your_turn = !isOver && turn?.agent_id === agentId;
  return {
    session: session_id,
    seq,
    already_said,
    state: session.state,
    expected: isOver || turn === null ? null : nameOf(session, turn.agent_id),
    your_turn,
    cursor: cursorText({ seq, chars: 0 }),
    next: isOver
      ? `The session has ended (${session.close_reason ?? session.state}). Nothing is left to do in it.`
      : your_turn
        ? 'It is still your turn: call say again, or hand it on.'
        : 'Call wait_turn with this session and cursor.',
  };
}
