/** Reads a session now or at an earlier seq: its public state, its turn and its expectations. */

import { invalidValueError } from '../../../core/lib/json.ts';
import type { SessionStateAt, TurnSince } from '../../../core/protocol/operations/console-sessions.ts';
import type { Params } from '../../../core/protocol/operations/operations.ts';
import { isMember, participantOf } from '../../../core/records/session/session.ts';
import type { Head } from '../../../core/records/session/unit.ts';
import type { Binding } from '../../bindings/binding.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import type { PastState, PastStates } from '../log/past-states.ts';
import { type ReadableBy, type ReadingRooms, readableBy } from '../log/read-access.ts';
import { publicStateOf, visibleStateFor } from '../views/adapter-answers.ts';
import { resolveViewer } from '../views/read-view.ts';
import { nextDeadline, visibleExpectations, type WaitAudience, type WaitStartTimes } from './waits.ts';

type StateRooms = Pick<ReadingRooms, 'log' | 'limits' | 'events' | 'registry' | 'sessions' | 'redactions'> & {
  readonly startTimes: WaitStartTimes;
  readonly pastStates: PastStates;
};

export function readState(rooms: StateRooms, reader: Binding, params: Params<'read_state'>): Promise<SessionStateAt> {
  return rooms.sessions.use(params.session_id, async (session) => {
    const agentId = resolveViewer(rooms, session, reader, params, 'read_state');
    const request = { reader, agentId, sessionId: session.sessionId };
    const readable = readableBy(rooms, session.durable, request, 'read_state');
    const { head_seq } = readable.metadata;
    const { at_seq = head_seq } = params;
    if (at_seq > head_seq)
      throw invalidValueError('params.at_seq', `a seq of the session, at most ${head_seq}`, at_seq);
    const atSeq = Math.min(at_seq, readable.end);
    return shownAt(rooms, session, readable, agentId, atSeq);
  });
}

async function shownAt(
  rooms: StateRooms,
  session: LiveSession,
  readable: ReadableBy,
  agentId: string,
  atSeq: number,
): Promise<SessionStateAt> {
  const now = readable.head;
  const { sessionId } = session;
  const past = atSeq < now.seq ? await rooms.pastStates.at(session, { head: now, epoch: session.epoch }, atSeq) : null;
  const { state, adapter, watch, unavailable }: PastState = past ?? { ...session, state: readable };
  const shown: WaitAudience = readable.isObserved ? 'all' : { to: agentId };
  const spent = state.head.spent ?? null;
  const at = await rooms.startTimes.timeOf(now, atSeq);
  return {
    at_seq: atSeq,
    at,
    head_seq: now.seq,
    session: state.metadata,
    turn: await turnIn(rooms, now, state),
    awaits: mayKnow(readable, agentId) ? await rooms.startTimes.awaitedOf(now, state.head.awaits) : null,
    public_state: readable.isObserved
      ? visibleStateFor(rooms, { adapter, sessionId }, state, agentId)
      : publicStateOf(rooms, { adapter, sessionId }, state, agentId),
    expectations: visibleExpectations(state, watch, shown),
    next_deadline: nextDeadline(state.head, state, watch, shown),
    cost_usd: spent?.usd ?? null,
    usage: spent,
    unavailable,
    redactions: rooms.redactions.countIn(sessionId),
  };
}

/** True for members and observers, who may also see the public state. */
function mayKnow({ isObserved, metadata }: ReadableBy, agentId: string): boolean {
  const participant = participantOf(metadata, agentId);
  return isObserved || (participant !== undefined && isMember(participant));
}

async function turnIn(rooms: StateRooms, now: Head, { head }: PastState['state']): Promise<TurnSince | null> {
  if (head.turn === null) return null;
  return { ...head.turn, since_at: await rooms.startTimes.timeOf(now, head.turn.since_seq) };
}
