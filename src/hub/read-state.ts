/** A session as it is, or was at a seq: what its type shows of it, whose turn it was, what was expected until when. */

import type { StateAt, TurnSince } from '../core/console-operations.ts';
import { badValue } from '../core/lib/json.ts';
import type { Params } from '../core/operations.ts';
import { isMember, participantOf } from '../core/records/session/session.ts';
import { nextDeadline, type Shown, shownExpectations } from './reading/console/waits.ts';
import type { Binding } from './bindings.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { observes } from './observes.ts';
import type { HubParts } from './parts.ts';
import type { PastState } from './reading/log/past-states.ts';
import { publicStateOf, stateShownTo } from './public-state.ts';
import { seenBy } from './reading/views/read-view.ts';
import { type Readable, readableEnd } from './readable-end.ts';

export function readState(parts: HubParts, reader: Binding, params: Params<'read_state'>): Promise<StateAt> {
  return parts.sessions.use(params.session_id, async (session) => {
    const agentId = seenBy(parts, session, reader.agentId, params, 'read_state');
    const readable = readableBy(parts, session, agentId);
    const { head_seq } = readable.metadata;
    const { at_seq = head_seq } = params;
    if (at_seq > head_seq) throw badValue('params.at_seq', `a seq of the session, at most ${head_seq}`, at_seq);
    const atSeq = Math.min(at_seq, readable.end);
    return shownAt(parts, session, readable, agentId, atSeq);
  });
}

type Looked = Readable & { readonly isObserved: boolean };

/** A stranger that may observe sees what everybody may, and all that is expected. */
function readableBy(parts: HubParts, { durable, sessionId }: LiveSession, agentId: string): Looked {
  const isStranger = durable !== null && participantOf(durable.metadata, agentId) === undefined;
  if (isStranger && observes(parts, agentId, sessionId, 'read_state')) {
    return { ...durable, end: Number.POSITIVE_INFINITY, isObserved: true };
  }
  return { ...readableEnd(durable, agentId, sessionId), isObserved: false };
}

async function shownAt(
  parts: HubParts,
  session: LiveSession,
  readable: Looked,
  agentId: string,
  atSeq: number,
): Promise<StateAt> {
  const now = readable.head;
  const { sessionId } = session;
  const past = atSeq < now.seq ? await parts.pastStates.at(session, { head: now, epoch: session.epoch }, atSeq) : null;
  const { state, adapter, watch, unavailable }: PastState = past ?? { ...session, state: readable };
  const shown: Shown = readable.isObserved ? 'all' : { to: agentId };
  const spent = state.head.spent ?? null;
  const at = await parts.sinceWhen.timeOf(now, atSeq);
  return {
    at_seq: atSeq,
    at,
    head_seq: now.seq,
    session: state.metadata,
    turn: await turnIn(parts, now, state),
    awaits: mayKnow(readable, agentId) ? await parts.sinceWhen.awaitedOf(now, state.head.awaits) : null,
    public_state: readable.isObserved
      ? stateShownTo(parts, { adapter, sessionId }, state, agentId)
      : publicStateOf(parts, { adapter, sessionId }, state, agentId),
    expectations: shownExpectations(state, watch, shown),
    next_deadline: nextDeadline(state.head, state, watch, shown),
    cost_usd: spent?.usd ?? null,
    usage: spent,
    unavailable,
    redactions: parts.redactions.countIn(sessionId),
  };
}

/** As for what its type shows. */
function mayKnow({ isObserved, metadata }: Looked, agentId: string): boolean {
  const participant = participantOf(metadata, agentId);
  return isObserved || (participant !== undefined && isMember(participant));
}

/** The log as it is now has the time of every envelope there was then. */
async function turnIn(parts: HubParts, now: Looked['head'], { head }: PastState['state']): Promise<TurnSince | null> {
  if (head.turn === null) return null;
  return { ...head.turn, since_at: await parts.sinceWhen.timeOf(now, head.turn.since_seq) };
}
