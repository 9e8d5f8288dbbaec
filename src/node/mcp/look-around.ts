/** What all sessions of a participant have for it now: the first that has something, turns before invites before ends. */

import { DELEGATION_LABEL } from '../../core/delegation.ts';
import type { SessionSummary } from '../../core/operations.ts';
import { type AroundCursor, aroundText, parseAround, toldSeq, withTold } from './around-cursor.ts';
import { type FoundIn, lookIn } from './look-in.ts';
import type { Participant } from './participant.ts';

/** How many of the newest sessions are looked at. */
const MOST = 50;
/** More than any seq: that it ended was told. */
const ENDED = 999_999_999_999_999;

export async function lookAround(participant: Participant, given: string | undefined): Promise<FoundIn> {
  const cursor = given === undefined ? await fromNow(participant) : parseAround(given);
  const agentId = await participant.agentId;
  const { sessions } = await participant.call('list_sessions', { limit: MOST });
  const { mine, others, ended } = sorted(sessions, agentId, cursor);
  let reason = sessions.length === 0 ? 'you are in no session, and nobody has invited you yet' : 'nothing new';
  for (const { session_id, head_seq } of [...mine, ...others]) {
    const seen = toldSeq(cursor, session_id);
    const found = await lookIn(participant, session_id, seen);
    // Who left, or was removed, has no business in it: that is no news.
    if (found.status === 'your_turn' || found.status === 'invited') {
      const told = found.status === 'invited' ? cursor : withTold(cursor, session_id, head_seq);
      return { ...found, cursor: aroundText(told) };
    }
    if (found.status === 'waiting') reason = found.reason ?? reason;
  }
  const [over] = ended;
  if (over !== undefined) {
    const found = await lookIn(participant, over.session_id, null);
    return { ...found, cursor: aroundText(withTold(cursor, over.session_id, ENDED)) };
  }
  const next = 'Nothing for you yet: call wait_turn again with this cursor.';
  return { status: 'waiting', reason, cursor: aroundText(cursor), call_again: true, next };
}

async function fromNow(participant: Participant): Promise<AroundCursor> {
  const { time } = await participant.call('health', {});
  return { since: time, told: new Map() };
}

/** Mine by the list alone; others have to be looked at, as there may be an invite, or all may speak; and what ended since. */
function sorted(sessions: readonly SessionSummary[], agentId: string, cursor: AroundCursor) {
  const isLive = ({ state }: SessionSummary): boolean => state === 'INVITED' || state === 'ACTIVE';
  // In a child of a delegation of one's own the hub asks, and `delegate` brings the answer.
  const isOwn = ({ labels, creator_id }: SessionSummary): boolean =>
    labels[DELEGATION_LABEL] === undefined || creator_id !== agentId;
  const isMine = ({ state, turn }: SessionSummary): boolean => state === 'ACTIVE' && turn?.agent_id === agentId;
  const isNewEnd = ({ state, closed_at, session_id }: SessionSummary): boolean =>
    (state === 'CLOSING' || (closed_at !== null && closed_at >= cursor.since)) && toldSeq(cursor, session_id) !== ENDED;
  const own = sessions.filter(isOwn);
  return {
    mine: own.filter(isMine),
    others: own.filter((one) => isLive(one) && !isMine(one)),
    ended: own.filter(isNewEnd),
  };
}
