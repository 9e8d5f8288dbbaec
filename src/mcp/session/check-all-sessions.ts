/** Checks all sessions of a participant: first news, then turns and invites that were reported but not answered. */

import type { Params } from '../../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { DELEGATION_LABEL } from '../../core/records/work/delegation.ts';
import {
  type AllSessionsCursor,
  advanceCursor,
  byChange,
  encodeAllSessionsCursor,
  MAX_SEEN,
  nextEnd,
  parseAllSessionsCursor,
  seenIn,
  withEnd,
  withSeen,
} from './all-sessions-cursor.ts';
import { type CheckResult, checkSession, isStuck } from './check-session.ts';
import type { Participant } from './participant.ts';

const PAGE = 200;
const MAX_ENDED = 1_000;

/** Without a cursor, checks all open sessions; with a cursor, only those that changed since. */
export async function checkAllSessions(participant: Participant, given: string | undefined): Promise<CheckResult> {
  const cursor = given === undefined ? await fromNow(participant) : parseAllSessionsCursor(given);
  const changed_since = cursor.from ?? undefined;
  const live = await listed(participant, { states: ['INVITED', 'ACTIVE'], changed_since });
  const looked = await lookAtNew(participant, cursor, live.sort(byChange));
  if (looked.found !== null) return looked.found;
  const ended = await endedOnes(participant, cursor.since);
  const end = nextEnd(looked.cursor, ended);
  if (end !== null) {
    const found = await checkSession(participant, end.session_id, null);
    return { ...found, cursor: encodeAllSessionsCursor(withEnd(looked.cursor, end, ended)) };
  }
  const held = await stillHeld(participant, looked.cursor, live);
  if (held !== null) return { ...held, cursor: encodeAllSessionsCursor(looked.cursor) };
  const next = 'Nothing for you yet: call wait_turn again with this cursor.';
  const reason = looked.reason ?? (await whyNothing(participant, looked.cursor, live));
  return { status: 'waiting', reason, cursor: encodeAllSessionsCursor(looked.cursor), call_again: true, next };
}

async function fromNow(participant: Participant): Promise<AllSessionsCursor> {
  const { time } = await participant.call('health', {});
  return { since: time, from: null, heard: new Map() };
}

interface Looked {
  readonly found: CheckResult | null;
  readonly cursor: AllSessionsCursor;
  readonly reason: string | null;
}

/** Finds the first session with news. `changed` is sorted by time of change, oldest first. */
async function lookAtNew(
  participant: Participant,
  given: AllSessionsCursor,
  changed: readonly SessionSummary[],
): Promise<Looked> {
  const agentId = await participant.agentId;
  const left = inOrder(given, agentId, changed);
  let cursor = given;
  let reason: string | null = null;
  const stuck: SessionSummary[] = [];
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const { session_id, head_seq } = one;
    const before = seenIn(cursor, session_id);
    const told = typeof before?.told === 'number' ? before.told : 0;
    const found = await checkSession(participant, session_id, told);
    if (found.status === 'waiting') reason = `${found.type} ${session_id}: ${found.reason}`;
    // Do not mark it as seen: it may continue without a new envelope.
    if (isStuck(found)) {
      stuck.push(one);
      continue;
    }
    const isNew = found.status === 'your_turn' || (found.status === 'invited' && before?.told !== 'invite');
    const upTo = found.status === 'your_turn' ? Number(found.cursor) : head_seq;
    const now = found.status === 'invited' ? 'invite' : found.status === 'your_turn' ? upTo : told;
    cursor = withSeen(cursor, session_id, { seen: upTo, told: now });
    if (!isNew) continue;
    const moved = advanceCursor(cursor, changed, [...left, ...stuck]);
    return { found: { ...found, cursor: encodeAllSessionsCursor(moved) }, cursor: moved, reason };
  }
  return { found: null, cursor: advanceCursor(cursor, changed, stuck), reason };
}

/** Returns the sessions to check: own turns first, unless the cursor is full. */
function inOrder(cursor: AllSessionsCursor, agentId: string, changed: readonly SessionSummary[]): SessionSummary[] {
  const isOwn = ({ turn }: SessionSummary): boolean => turn?.agent_id === agentId;
  const left = changed.filter((one) => {
    const before = seenIn(cursor, one.session_id);
    if (before === null) return true;
    const isTold = isOwn(one) && typeof before.told === 'number' && before.told >= (one.turn?.since_seq ?? 0);
    return before.seen < one.head_seq && !isTold;
  });
  if (cursor.heard.size >= MAX_SEEN) return left;
  return [...left.filter(isOwn), ...left.filter((one) => !isOwn(one))];
}

/** Finds a reported turn or invite that is still unanswered. */
async function stillHeld(
  participant: Participant,
  cursor: AllSessionsCursor,
  live: readonly SessionSummary[],
): Promise<CheckResult | null> {
  const { turns } = await participant.call('pending_turns', { limit: PAGE });
  const invites = live.filter(({ session_id }) => seenIn(cursor, session_id)?.told === 'invite');
  for (const { session_id } of [...turns, ...invites]) {
    const found = await checkSession(participant, session_id, null);
    if (found.status === 'your_turn' || found.status === 'invited') return found;
  }
  return null;
}

async function whyNothing(
  participant: Participant,
  cursor: AllSessionsCursor,
  live: readonly SessionSummary[],
): Promise<string> {
  const last = live.at(-1);
  if (last === undefined) {
    const { sessions } = await participant.call('list_sessions', { states: ['INVITED', 'ACTIVE'], limit: 1 });
    return sessions.length > 0 ? 'nothing new' : 'you are in no session, and nobody has invited you yet';
  }
  const told = seenIn(cursor, last.session_id)?.told;
  const found = await checkSession(participant, last.session_id, typeof told === 'number' ? told : null);
  return found.status === 'waiting' ? `${found.type} ${last.session_id}: ${found.reason}` : 'nothing new';
}

/** All sessions that ended since `ended_since`, even if reported: nextEnd skips those. */
async function endedOnes(participant: Participant, ended_since: string): Promise<readonly SessionSummary[]> {
  const agentId = await participant.agentId;
  const closing = await listed(participant, { states: ['CLOSING'] });
  const ended = await listed(participant, { states: ['CLOSED', 'EXPIRED'], ended_since }, MAX_ENDED);
  // `delegate` reports the end of the caller's own delegations.
  return [...closing, ...ended].filter(
    ({ labels, creator_id }) => labels[DELEGATION_LABEL] === undefined || creator_id !== agentId,
  );
}

async function listed(
  participant: Participant,
  query: Params<'list_sessions'>,
  most: number = Number.POSITIVE_INFINITY,
): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (let after: string | null | undefined; after !== null && found.length < most; ) {
    const page: { readonly sessions: readonly SessionSummary[]; readonly next: string | null } = await participant.call(
      'list_sessions',
      { ...query, after, limit: PAGE },
    );
    found.push(...page.sessions);
    after = page.next;
  }
  return found;
}
