/** What all sessions of a participant have for it now: what is new before what it was told of and has not answered. */

import { DELEGATION_LABEL } from '../../core/records/work/delegation.ts';
import type { Params, SessionSummary } from '../../core/operations.ts';
import {
  type AroundCursor,
  aroundText,
  byChange,
  heardOf,
  MOST_HEARD,
  movedOn,
  nextEnd,
  parseAround,
  withEnd,
  withHeard,
} from './all-sessions-cursor.ts';
import { type FoundIn, isStuck, lookIn } from './check-session.ts';
import type { Participant } from '../../node/mcp/participant.ts';

/** Of a list at once. */
const PAGE = 200;
/** Of those that ended since one was last told. */
const MOST_ENDED = 1_000;

/** Without a cursor at all that have not ended; with one only at those to which something was added since. */
export async function lookAround(participant: Participant, given: string | undefined): Promise<FoundIn> {
  const cursor = given === undefined ? await fromNow(participant) : parseAround(given);
  const changed_since = cursor.from ?? undefined;
  const live = await listed(participant, { states: ['INVITED', 'ACTIVE'], changed_since });
  const looked = await lookAtNew(participant, cursor, live.sort(byChange));
  if (looked.found !== null) return looked.found;
  const ended = await endedOnes(participant, cursor.since);
  const end = nextEnd(looked.cursor, ended);
  if (end !== null) {
    const found = await lookIn(participant, end.session_id, null);
    return { ...found, cursor: aroundText(withEnd(looked.cursor, end, ended)) };
  }
  const held = await stillHeld(participant, looked.cursor, live);
  if (held !== null) return { ...held, cursor: aroundText(looked.cursor) };
  const next = 'Nothing for you yet: call wait_turn again with this cursor.';
  const reason = looked.reason ?? (await whyNothing(participant, looked.cursor, live));
  return { status: 'waiting', reason, cursor: aroundText(looked.cursor), call_again: true, next };
}

async function fromNow(participant: Participant): Promise<AroundCursor> {
  const { time } = await participant.call('health', {});
  return { since: time, from: null, heard: new Map() };
}

interface Looked {
  readonly found: FoundIn | null;
  readonly cursor: AroundCursor;
  /** What is waited for, where something was looked at. */
  readonly reason: string | null;
}

/** The first that has something which was not told before. `changed`: the one that has waited longest first. */
async function lookAtNew(
  participant: Participant,
  given: AroundCursor,
  changed: readonly SessionSummary[],
): Promise<Looked> {
  const agentId = await participant.agentId;
  const left = inOrder(given, agentId, changed);
  let cursor = given;
  let reason: string | null = null;
  const stuck: SessionSummary[] = [];
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const { session_id, head_seq } = one;
    const before = heardOf(cursor, session_id);
    const told = typeof before?.told === 'number' ? before.told : 0;
    const found = await lookIn(participant, session_id, told);
    if (found.status === 'waiting') reason = `${found.type} ${session_id}: ${found.reason}`;
    // It may go on without a word in its log.
    if (isStuck(found)) {
      stuck.push(one);
      continue;
    }
    const isNew = found.status === 'your_turn' || (found.status === 'invited' && before?.told !== 'invite');
    const upTo = found.status === 'your_turn' ? Number(found.cursor) : head_seq;
    const now = found.status === 'invited' ? 'invite' : found.status === 'your_turn' ? upTo : told;
    cursor = withHeard(cursor, session_id, { seen: upTo, told: now });
    if (!isNew) continue;
    const moved = movedOn(cursor, changed, [...left, ...stuck]);
    return { found: { ...found, cursor: aroundText(moved) }, cursor: moved, reason };
  }
  return { found: null, cursor: movedOn(cursor, changed, stuck), reason };
}

/** Those that are worth a look. Turns come first, as long as what they pass over need not be remembered for long. */
function inOrder(cursor: AroundCursor, agentId: string, changed: readonly SessionSummary[]): SessionSummary[] {
  const isOwn = ({ turn }: SessionSummary): boolean => turn?.agent_id === agentId;
  const left = changed.filter((one) => {
    const before = heardOf(cursor, one.session_id);
    if (before === null) return true;
    const isTold = isOwn(one) && typeof before.told === 'number' && before.told >= (one.turn?.since_seq ?? 0);
    return before.seen < one.head_seq && !isTold;
  });
  if (cursor.heard.size >= MOST_HEARD) return left;
  return [...left.filter(isOwn), ...left.filter((one) => !isOwn(one))];
}

/** A turn or an invite that was told, and waits for an answer. */
async function stillHeld(
  participant: Participant,
  cursor: AroundCursor,
  live: readonly SessionSummary[],
): Promise<FoundIn | null> {
  const { turns } = await participant.call('pending_turns', { limit: PAGE });
  const invites = live.filter(({ session_id }) => heardOf(cursor, session_id)?.told === 'invite');
  for (const { session_id } of [...turns, ...invites]) {
    const found = await lookIn(participant, session_id, null);
    if (found.status === 'your_turn' || found.status === 'invited') return found;
  }
  return null;
}

/** Of the one that changed last it is the most interesting. */
async function whyNothing(
  participant: Participant,
  cursor: AroundCursor,
  live: readonly SessionSummary[],
): Promise<string> {
  const last = live.at(-1);
  if (last === undefined) {
    const { sessions } = await participant.call('list_sessions', { states: ['INVITED', 'ACTIVE'], limit: 1 });
    return sessions.length > 0 ? 'nothing new' : 'you are in no session, and nobody has invited you yet';
  }
  const told = heardOf(cursor, last.session_id)?.told;
  const found = await lookIn(participant, last.session_id, typeof told === 'number' ? told : null);
  return found.status === 'waiting' ? `${found.type} ${last.session_id}: ${found.reason}` : 'nothing new';
}

/** All that ended since: those that were told are left behind by the cursor. */
async function endedOnes(participant: Participant, ended_since: string): Promise<readonly SessionSummary[]> {
  const agentId = await participant.agentId;
  const closing = await listed(participant, { states: ['CLOSING'] });
  const ended = await listed(participant, { states: ['CLOSED', 'EXPIRED'], ended_since }, MOST_ENDED);
  // The end of a child of a delegation of one's own is the answer that `delegate` brings.
  return [...closing, ...ended].filter(
    ({ labels, creator_id }) => labels[DELEGATION_LABEL] === undefined || creator_id !== agentId,
  );
}

/** Page by page, to the end unless there are too many. */
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
