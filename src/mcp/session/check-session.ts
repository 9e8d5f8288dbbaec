/** What one session has for a participant now. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { DELEGATION_LABEL } from '../../core/records/work/delegation.ts';
import { topicOf } from '../../participants/tools/lib/hub-rows.ts';
import { assertWithin } from './cursor.ts';
import type { Participant } from './participant.ts';
import {
  answeredBy,
  answeredSeq,
  hasEnded,
  type RecentMessages,
  readRecent,
  readRecentMessages,
  readSessionStatus,
  type SessionStatus,
} from './session-status.ts';
import { readTranscriptPage, type TranscriptMessage } from './transcript-page.ts';

/** What a look finds. */
export interface CheckResult {
  status: 'your_turn' | 'invited' | 'closed' | 'waiting';
  call_again: boolean;
  next: string;
  cursor: string;
  reason?: string;
  session?: string;
  type?: string;
  from?: string;
  topic?: string | null;
  turn?: number;
  messages?: TranscriptMessage[];
  more?: boolean;
  read_cursor?: string;
}

/** Less than a page: it comes at every turn. */
const TURN_CHARS = 8_000;

const STUCK = 'the session cannot go on now';

/** Nobody can speak in it, and when that is over nothing in its log says so. */
export function isStuck({ status, reason }: CheckResult): boolean {
  return status === 'waiting' && reason?.startsWith(STUCK) === true;
}

/** `after`: up to where it was told of before; null = never. */
export async function checkSession(participant: Participant, id: string, after: number | null): Promise<CheckResult> {
  const standing = await readSessionStatus(participant, id);
  const { session, status } = standing;
  const about = {
    session: id,
    type: session.manifest.type,
    topic: topicOf(session.labels, nameOf(session, session.creator_id)),
    cursor: String(after ?? 0),
  };
  if (status === 'invited' && !hasEnded(standing)) return { ...about, ...invite(standing) };
  if (hasEnded(standing)) return { ...about, ...(await closed(participant, standing)) };
  assertWithin(after ?? 0, session.head_seq);
  const why = notYet(standing);
  if (why !== null) return { ...about, ...waiting(why) };
  const recent = await recentFor(participant, id, standing, after ?? 0);
  if (!isMine(standing, recent, after ?? 0)) return { ...about, ...waiting(awaited(standing)) };
  return { ...about, ...(await myTurn(participant, id, standing, recent)) };
}

function invite({ session }: SessionStatus) {
  const from = nameOf(session, session.creator_id);
  const next = `${from} invites you: call accept_invite to join, or decline_invite.`;
  return { status: 'invited', from, call_again: false, next } as const;
}

async function closed(participant: Participant, { session, status }: SessionStatus) {
  const next = 'It is over for you: do not wait for it any more. session_read still shows what was said.';
  const over = { status: 'closed', call_again: false, next } as const;
  if (status === 'removed') return { ...over, reason: 'you are no longer in it' };
  if (status === 'rejected') return { ...over, reason: 'you declined' };
  const declined = await whoDeclined(participant, session);
  const reason = [session.close_reason ?? session.state, ...declined].join('; ');
  if (session.opened_at === null) return { ...over, reason };
  const readIt =
    'It has ended: call session_read for what was said last, such as the answer to you. Do not wait for it any more.';
  return { ...over, reason, next: readIt };
}

function waiting(reason: string) {
  const next = 'Nothing for you yet: call wait_turn again with this cursor.';
  return { status: 'waiting', reason, call_again: true, next } as const;
}

/** Why nobody can speak, or not this one; null = it may have the turn. */
function notYet({ session, status, unavailable, agentId }: SessionStatus): string | null {
  if (unavailable !== null) return `${STUCK}: ${unavailable}`;
  if (session.labels[DELEGATION_LABEL] !== undefined && session.creator_id === agentId) {
    return 'it answers a question that you delegated; delegate brings the answer';
  }
  if (session.state === 'INVITED') {
    const names = session.pending_acks.map((agentId) => nameOf(session, agentId));
    return `not all have accepted yet: ${names.join(', ')}`;
  }
  return status === 'hidden'
    ? 'you were taken out of the rotation, and only hear: call accept_invite with this session to come back'
    : null;
}

/** Where nobody is expected in particular it is one's turn when somebody else said something new, or nobody has begun. */
function isMine({ turn, agentId, session }: SessionStatus, recent: readonly Envelope[], after: number): boolean {
  if (turn !== null) return turn.agent_id === agentId;
  if (recent.length === 0) return after === 0 && session.creator_id === agentId;
  const heard = Math.max(after, lastAnswered(recent, agentId));
  return recent.some(({ sender_id, seq }) => sender_id !== agentId && seq > heard);
}

function awaited({ session, turn }: SessionStatus): string {
  return turn === null ? 'nobody has said anything new' : `${nameOf(session, turn.agent_id)} is expected`;
}

async function myTurn(participant: Participant, id: string, standing: SessionStatus, recent: readonly Envelope[]) {
  const since = await answeredUpTo(participant, id, standing.agentId);
  const page = await readTranscriptPage(participant, id, { seq: since, chars: 0 }, TURN_CHARS);
  const { more, cursor } = page;
  const messages = page.messages.filter(({ own }) => own !== true);
  const next = more
    ? 'It is your turn. Read on with session_read and read_cursor, then call say with this turn.'
    : 'It is your turn: call say with this turn.';
  return {
    status: 'your_turn' as const,
    turn: answeredSeq(standing, recent),
    messages,
    more,
    read_cursor: cursor,
    cursor: String(standing.session.head_seq),
    call_again: false,
    next,
  } satisfies Partial<CheckResult>;
}

/** As much of what was said, the newest first, as tells whether it is one's turn. */
async function recentFor(
  participant: Participant,
  id: string,
  standing: SessionStatus,
  after: number,
): Promise<readonly Envelope[]> {
  if (standing.turn !== null) return readRecentMessages(participant, id, standing);
  const isTold = ({ said, from }: RecentMessages): boolean =>
    from <= Math.max(after, said.length === 0 ? 0 : lastAnswered(said, standing.agentId)) + 1;
  const isEnough = (back: RecentMessages): boolean =>
    isTold(back) || (back.said.length > 0 && isMine(standing, back.said, after));
  return (await readRecent(participant, id, isEnough)).said;
}

/** Up to where it has answered, as far as is known: what came after that it may not have heard. */
function lastAnswered(said: readonly Envelope[], agentId: string): number {
  const own = said.find(({ sender_id }) => sender_id === agentId);
  return own === undefined ? 0 : answeredBy(own);
}

/** The same, however long ago. 0 = it never spoke, or so long ago that all is shown. */
async function answeredUpTo(participant: Participant, id: string, agentId: string): Promise<number> {
  const isOwn = ({ sender_id }: Envelope): boolean => sender_id === agentId;
  return lastAnswered((await readRecent(participant, id, ({ said }) => said.some(isOwn))).said, agentId);
}

/** Of the end of the log: a session that never opened has little else. */
const LOOKED_AT = 50;
const MAX_NAMED = 5;

/** Who declined, if the session ended by that: `bob declined: no time`. */
async function whoDeclined(participant: Participant, session: SessionMetadata): Promise<readonly string[]> {
  const { session_id, rejected_by } = session;
  if (rejected_by.length === 0 || session.opened_at !== null) return [];
  const log = { session_id, reverse: true, limit: LOOKED_AT };
  // Who never joined cannot read it, and knows the names at least.
  const { envelopes } = await participant.call('read_log', log).catch(() => ({ envelopes: [] }));
  return rejected_by.slice(0, MAX_NAMED).map((agentId) => {
    const said = envelopes.find(
      ({ event_type, event_data }) => event_type === 'session.invite.reject' && event_data.agent_id === agentId,
    );
    const why = said?.event_data.reason;
    return `${nameOf(session, agentId)} declined${typeof why === 'string' && why !== '' ? `: ${why}` : ''}`;
  });
}
