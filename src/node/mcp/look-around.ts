/** What all sessions of a participant have for it now: the first that has something, turns before invites before ends. */

import { DELEGATION_LABEL } from '../../core/delegation.ts';
import type { Result, SessionSummary } from '../../core/operations.ts';
import { type AroundCursor, aroundText, nextEnd, parseAround, toldSeq, withEnd, withTold } from './around-cursor.ts';
import { type FoundIn, lookIn } from './look-in.ts';
import type { Participant } from './participant.ts';

/** How many are looked at: of turns, and of the newest that have not ended. */
const MOST = 50;
/** Of those that ended since one was last told. */
const MOST_ENDED = 1_000;

export async function lookAround(participant: Participant, given: string | undefined): Promise<FoundIn> {
  const cursor = given === undefined ? await fromNow(participant) : parseAround(given);
  const live = await participant.call('list_sessions', { states: ['INVITED', 'ACTIVE'], limit: MOST });
  let reason = live.sessions.length === 0 ? 'you are in no session, and nobody has invited you yet' : 'nothing new';
  for (const session_id of await worthALook(participant, live.sessions)) {
    const found = await lookIn(participant, session_id, toldSeq(cursor, session_id));
    if (found.status === 'your_turn') {
      return { ...found, cursor: aroundText(withTold(cursor, session_id, Number(found.cursor))) };
    }
    if (found.status === 'invited') return { ...found, cursor: aroundText(cursor) };
    // Who left, or was removed, has no business in it: that is no news.
    if (found.status === 'waiting') reason = `${found.type} ${session_id}: ${found.reason}`;
  }
  const ended = await endedOnes(participant, cursor.since);
  const end = nextEnd(cursor, ended);
  if (end !== null) {
    const found = await lookIn(participant, end.session_id, null);
    return { ...found, cursor: aroundText(withEnd(cursor, end, ended)) };
  }
  const next = 'Nothing for you yet: call wait_turn again with this cursor.';
  return { status: 'waiting', reason, cursor: aroundText(cursor), call_again: true, next };
}

async function fromNow(participant: Participant): Promise<AroundCursor> {
  const { time } = await participant.call('health', {});
  return { since: time, told: new Map() };
}

/** Turns come first, however many sessions there are; in the others there may be an invite, or all may speak. */
async function worthALook(participant: Participant, live: readonly SessionSummary[]): Promise<ReadonlySet<string>> {
  const { turns } = await participant.call('pending_turns', { limit: MOST });
  return new Set([...turns, ...live].map(({ session_id }) => session_id));
}

/** All that ended since: those that were told are left behind by the cursor. */
async function endedOnes(participant: Participant, ended_since: string): Promise<readonly SessionSummary[]> {
  const agentId = await participant.agentId;
  const closing = await participant.call('list_sessions', { states: ['CLOSING'], limit: MOST });
  const sessions = [...closing.sessions];
  for (let after: string | undefined; sessions.length < MOST_ENDED; ) {
    const asked = { states: ['CLOSED', 'EXPIRED'] as const, ended_since, after, limit: MOST };
    const page: Result<'list_sessions'> = await participant.call('list_sessions', asked);
    sessions.push(...page.sessions);
    if (page.next === null) break;
    after = page.next;
  }
  // The end of a child of a delegation of one's own is the answer that `delegate` brings.
  return sessions.filter(({ labels, creator_id }) => labels[DELEGATION_LABEL] === undefined || creator_id !== agentId);
}
