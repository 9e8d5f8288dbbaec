/** Checks what one session requires of a participant now. */

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

/** Maximum characters of the messages sent with each turn; less than a page. */
const TURN_CHARS = 8_000;

const STUCK = 'the session cannot continue now';

/** True if the session is unavailable; its log will not show when it becomes available. */
export function isStuck({ status, reason }: CheckResult): boolean {
  return status === 'waiting' && reason?.startsWith(STUCK) === true;
}

/** `after`: the log was reported up to this seq; null if it never was. */
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
  const next = 'The session has ended for you: do not wait for it. session_read still shows its messages.';
  const over = { status: 'closed', call_again: false, next } as const;
  if (status === 'removed') return { ...over, reason: 'you are no longer a participant' };
  if (status === 'rejected') return { ...over, reason: 'you declined' };
  const declined = await whoDeclined(participant, session);
  const reason = [session.close_reason ?? session.state, ...declined].join('; ');
  if (session.opened_at === null) return { ...over, reason };
  const readIt =
    'The session has ended: call session_read for the last messages, such as your answer. Do not wait for it.';
  return { ...over, reason, next: readIt };
}

function waiting(reason: string) {
  const next = 'Nothing for you yet: call wait_turn again with this cursor.';
  return { status: 'waiting', reason, call_again: true, next } as const;
}

/** Why this participant cannot post now; null if it may have the turn. */
function notYet({ session, status, unavailable, agentId }: SessionStatus): string | null {
  if (unavailable !== null) return `${STUCK}: ${unavailable}`;
  if (session.labels[DELEGATION_LABEL] !== undefined && session.creator_id === agentId) {
    return 'it answers a question that you delegated; delegate returns the answer';
  }
  if (session.state === 'INVITED') {
    const names = session.pending_acks.map((agentId) => nameOf(session, agentId));
    return `not all have accepted yet: ${names.join(', ')}`;
  }
  return status === 'hidden'
    ? 'you were removed from the rotation and can only read: call accept_invite with this session to return'
    : null;
}

/** Without a turn holder: true if someone else posted something new, or if the creator should begin. */
function isMine({ turn, agentId, session }: SessionStatus, recent: readonly Envelope[], after: number): boolean {
  if (turn !== null) return turn.agent_id === agentId;
  if (recent.length === 0) return after === 0 && session.creator_id === agentId;
  const heard = Math.max(after, lastAnswered(recent, agentId));
  return recent.some(({ sender_id, seq }) => sender_id !== agentId && seq > heard);
}

function awaited({ session, turn }: SessionStatus): string {
  return turn === null ? 'no new messages' : `${nameOf(session, turn.agent_id)} is expected`;
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

/** Reads enough messages, newest first, to decide whose turn it is. */
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

/** Highest seq that the agent's last message answered; the agent may not have seen later ones. */
function lastAnswered(said: readonly Envelope[], agentId: string): number {
  const own = said.find(({ sender_id }) => sender_id === agentId);
  return own === undefined ? 0 : answeredBy(own);
}

/** Like `lastAnswered`, over the whole log; 0 if the agent never answered, or too long ago. */
async function answeredUpTo(participant: Participant, id: string, agentId: string): Promise<number> {
  const isOwn = ({ sender_id }: Envelope): boolean => sender_id === agentId;
  return lastAnswered((await readRecent(participant, id, ({ said }) => said.some(isOwn))).said, agentId);
}

/** Number of envelopes to read from the end of the log; a session that never opened has few. */
const LOOKED_AT = 50;
const MAX_NAMED = 5;

/** The invitees whose decline ended the session, such as `bob declined: no time`. */
async function whoDeclined(participant: Participant, session: SessionMetadata): Promise<readonly string[]> {
  const { session_id, rejected_by } = session;
  if (rejected_by.length === 0 || session.opened_at !== null) return [];
  const log = { session_id, reverse: true, limit: LOOKED_AT };
  // A non-participant cannot read the log, but still gets the names.
  const { envelopes } = await participant.call('read_log', log).catch(() => ({ envelopes: [] }));
  return rejected_by.slice(0, MAX_NAMED).map((agentId) => {
    const said = envelopes.find(
      ({ event_type, event_data }) => event_type === 'session.invite.reject' && event_data.agent_id === agentId,
    );
    const why = said?.event_data.reason;
    return `${nameOf(session, agentId)} declined${typeof why === 'string' && why !== '' ? `: ${why}` : ''}`;
  });
}
