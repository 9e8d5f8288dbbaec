/** Reads the status of a session for one participant: turn holder, recent messages, and the turn to answer. */

import { msFromIso } from '../../core/lib/time.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { type Envelope, isContent, type Turn } from '../../core/records/session/envelope.ts';
import { isTerminal, nameOf, type ParticipantStatus, participantOf } from '../../core/records/session/session.ts';
import { type Participant, Refusal } from './participant.ts';

export interface SessionStatus {
  readonly session: Result<'get_session'>['session'];
  readonly unavailable: string | null;
  readonly turn: Turn | null;
  readonly agentId: string;
  readonly status: ParticipantStatus | null;
}

export async function readSessionStatus(participant: Participant, session_id: string): Promise<SessionStatus> {
  const agentId = await participant.agentId;
  const { session, turn, unavailable } = await participant.call('get_session', { session_id });
  const status = participantOf(session, agentId)?.status ?? null;
  return { session, turn, unavailable, agentId, status };
}

/** True if the session has ended for this participant. */
export function hasEnded({ session, status }: SessionStatus): boolean {
  return isTerminal(session.state) || session.state === 'CLOSING' || status === 'removed' || status === 'rejected';
}

/** Recent messages, newest first: at least one, and all of the current turn. */
export async function readRecentMessages(
  participant: Participant,
  session_id: string,
  { turn }: SessionStatus,
): Promise<readonly Envelope[]> {
  const since = turn?.since_seq ?? Number.MAX_SAFE_INTEGER;
  const isEnough = ({ said, from }: RecentMessages): boolean => said.length > 0 && from <= since;
  const { said, from } = await readRecent(participant, session_id, isEnough);
  if (said.length > 0 || from === 0 || turn !== null) return said;
  // Do not guess the turn to answer: a wrong guess could post twice.
  throw new Refusal(
    `found no message since seq ${from}, the limit of the search; nothing was done. ` +
      'Call wait_turn until someone posts, or open another session.',
  );
}

/** Idempotency key of the answer to a turn; `answeredBy` reads the turn back from it. */
export function turnKey(seq: number): string {
  return `mcp turn ${seq}`;
}

/** The seq that a message answered; its sender had not seen later messages. */
export function answeredBy({ idempotency_key, seq }: Envelope): number {
  const [, answered] = /^mcp turn (\d{1,15})$/.exec(idempotency_key ?? '') ?? [];
  return answered === undefined ? seq : Math.min(seq, Number(answered));
}

/**
 * The seq that the next message answers: the start of the turn or the agent's last message in it; without a turn holder,
 * the newest message. Stable until someone posts.
 */
export function answeredSeq({ turn, agentId }: SessionStatus, recent: readonly Envelope[]): number {
  if (turn === null) return recent[0]?.seq ?? 0;
  const own = recent.find(({ sender_id }) => sender_id === agentId)?.seq ?? 0;
  return Math.max(turn.since_seq, turn.agent_id === agentId ? own : 0);
}

/** The turn to pass to `say` after reading up to a seq; null if the participant cannot post now. */
export async function turnToSay(
  participant: Participant,
  session_id: string,
  standing: SessionStatus,
  readUpTo: number = Number.MAX_SAFE_INTEGER,
): Promise<number | null> {
  const { session, status, turn, agentId } = standing;
  if (session.state !== 'ACTIVE' || status !== 'active') return null;
  if (turn !== null && turn.agent_id !== agentId) return null;
  const recent = await readRecentMessages(participant, session_id, standing);
  const read = recent.filter(({ seq }) => seq <= readUpTo);
  if (recent.length === 0 || (turn !== null && read.length === recent.length)) return answeredSeq(standing, recent);
  return turn === null ? (read[0]?.seq ?? null) : null;
}

/** Names the turn holder: `bob has had the turn for 40 s`. */
export async function describeAwaited(participant: Participant, session_id: string): Promise<string> {
  const { session, turn, status } = await readSessionStatus(participant, session_id);
  if (status === 'hidden') return 'you were removed from the rotation; return with accept_invite';
  if (turn === null) return 'nobody holds the turn, so none needs to be kept (give task_progress a title, or call say)';
  const name = nameOf(session, turn.agent_id);
  const [{ envelopes }, { time }] = await Promise.all([
    participant.call('read_log', { session_id, from_seq: turn.since_seq, limit: 1 }),
    participant.call('health', {}),
  ]);
  const began = envelopes.find(({ seq }) => seq === turn.since_seq)?.created_at;
  if (began === undefined) return `${name} is expected`;
  return `${name} has had the turn for ${secondsBetween(began, time)} s`;
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.round((msFromIso(to) - msFromIso(from)) / 1000));
}

const FIRST = 50;
const FURTHER = 500;
const MAX_READS = 100;

export interface RecentMessages {
  readonly said: readonly Envelope[];
  readonly from: number;
}

/** Reads messages, newest first, page by page until `isEnough`. */
export async function readRecent(
  participant: Participant,
  session_id: string,
  isEnough: (found: RecentMessages) => boolean,
): Promise<RecentMessages> {
  let found: RecentMessages = { said: [], from: Number.MAX_SAFE_INTEGER };
  for (let looks = 0; looks < MAX_READS; looks++) {
    const from_seq = looks === 0 ? undefined : found.from - 1;
    const limit = looks === 0 ? FIRST : FURTHER;
    const { envelopes, next } = await participant.call('read_log', { session_id, from_seq, limit, reverse: true });
    const said = [...found.said, ...envelopes.filter(({ event_type }) => isContent(event_type))];
    found = { said, from: next === null ? 0 : next + 1 };
    if (next === null || isEnough(found)) return found;
  }
  return found;
}
