/** Posts a message once per answered turn, even if called repeatedly, and returns the new state. */

import { WireError } from '../../core/lib/errors.ts';
import { canonicalJson, type JsonObject } from '../../core/lib/json.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { isTerminal, nameOf } from '../../core/records/session/session.ts';
import { encodeCursor } from '../session/cursor.ts';
import { type Participant, Refusal } from '../session/participant.ts';
import {
  answeredBy,
  answeredSeq,
  readRecent,
  readRecentMessages,
  readSessionStatus,
  type SessionStatus,
  turnKey,
  turnToSay,
} from '../session/session-status.ts';
import type { Call } from './tool.ts';

export interface Content {
  readonly event_type: string;
  readonly event_data: JsonObject;
}

interface PostOnceResult {
  session: string;
  seq: number;
  already_said: boolean;
  state: string;
  expected: string | null;
  your_turn: boolean;
  turn: number | null;
  cursor: string;
  next: string;
}

/** Number of characters of the earlier message shown in a refusal. */
const SHOWN_CHARS = 500;

export async function postOnce(
  { participant }: Call,
  session_id: string,
  content: Content,
  turn: number,
): Promise<PostOnceResult> {
  const answered = await answeredTurn(participant, session_id, content, turn);
  if (typeof answered !== 'number') return resultOf(participant, session_id, answered, true);
  try {
    const draft = { ...content, session_id, idempotency_key: turnKey(answered) };
    const { seq, duplicate } = await participant.call('post', draft);
    return await resultOf(participant, session_id, { seq, answered }, duplicate === true);
  } catch (thrown) {
    if (!(thrown instanceof WireError) || thrown.code !== 'duplicate') throw thrown;
    const seq = Number(thrown.details?.seq);
    const { envelopes } = await participant.call('read_log', { session_id, from_seq: seq, limit: 1 });
    throw differentMessage(seq, envelopes[0]);
  }
}

interface Done {
  readonly seq: number;
  readonly answered: number;
}

/** The turn to answer, or the message that an earlier call posted for it. */
async function answeredTurn(
  participant: Participant,
  session_id: string,
  content: Content,
  turn: number,
): Promise<number | Done> {
  const standing = await readSessionStatus(participant, session_id);
  const recent = await readRecentMessages(participant, session_id, standing);
  const now = answeredSeq(standing, recent);
  const isIt = (one: Envelope): boolean => one.sender_id === standing.agentId && one.idempotency_key === turnKey(turn);
  const back = await readRecent(participant, session_id, ({ said, from }) => from <= turn || said.some(isIt));
  const earlier = back.said.find(isIt);
  if (earlier !== undefined && !isSame(earlier, content)) throw differentMessage(earlier.seq, earlier);
  if (earlier !== undefined) return { seq: earlier.seq, answered: answeredBy(earlier) };
  // Let the hub explain why posting is impossible.
  if (standing.session.state !== 'ACTIVE' || standing.status !== 'active') return turn;
  if (standing.turn !== null && standing.turn.agent_id !== standing.agentId) {
    throw new WireError('not_your_turn', 'another participant holds the turn');
  }
  if (turn === now || (standing.turn === null && isStillOpen(standing, back.said, turn))) return turn;
  throw new Refusal(`turn ${turn} is not yours now; nothing was posted: call wait_turn, and pass its turn to say.`);
}

/** True until the agent has answered a later message; others may have posted since `turn`. */
function isStillOpen({ agentId }: SessionStatus, said: readonly Envelope[], turn: number): boolean {
  const own = said.find(({ sender_id }) => sender_id === agentId);
  const isKnown = turn === 0 || said.some(({ seq }) => seq === turn);
  return isKnown && (own === undefined || turn > answeredBy(own));
}

function isSame({ event_type, event_data }: Envelope, content: Content): boolean {
  return event_type === content.event_type && canonicalJson(event_data) === canonicalJson(content.event_data);
}

function differentMessage(seq: number, posted: Envelope | undefined): Refusal {
  const { text, body } = posted?.event_data ?? {};
  const shown = String(text ?? body ?? '').slice(0, SHOWN_CHARS);
  return new Refusal(
    `already answered: for this turn you posted, as seq ${seq}: ${JSON.stringify(shown)}. It is unchanged, and nothing was posted. ` +
      'Call wait_turn; to add something later, call say with the turn that session_read returns then.',
  );
}

async function resultOf(
  participant: Participant,
  session_id: string,
  { seq, answered }: Done,
  already_said: boolean,
): Promise<PostOnceResult> {
  const standing = await readSessionStatus(participant, session_id);
  const { session, turn, agentId } = standing;
  const isOver = isTerminal(session.state) || session.state === 'CLOSING';
  const your_turn = !isOver && turn?.agent_id === agentId;
  return {
    session: session_id,
    seq,
    already_said,
    state: session.state,
    expected: isOver || turn === null ? null : nameOf(session, turn.agent_id),
    your_turn,
    turn: your_turn ? await turnToSay(participant, session_id, standing) : null,
    // Messages since the answered one are still unreported.
    cursor: encodeCursor({ seq: answered, chars: 0 }),
    next: isOver
      ? `The session has ended (${session.close_reason ?? session.state}). There is nothing left to do in it.`
      : your_turn
        ? 'It is still your turn: call say again with this turn, or call handoff.'
        : 'Call wait_turn with this session and cursor.',
  };
}
