/** The sessions that one is in, a page at a time, as tools show them. */

import { isTerminal, nameOf, participantOf } from '../../core/records/session/session.ts';
import type { HubCaller } from './hub-caller.ts';
import { topicOf } from './topic.ts';

const PAGE = 20;
const MOST_NAMED = 10;

export interface SessionRow {
  readonly session: string;
  readonly type: string;
  readonly state: string;
  readonly topic: string | null;
  readonly your_turn: boolean;
  readonly closed: string | null;
  /** One is asked, and has not answered. */
  readonly invited: boolean;
  readonly from: string;
  /** The first ten. */
  readonly participants: string[];
  /** Whose turn it is; null = nobody in particular. */
  readonly expected: string | null;
}

export async function ownSessions(
  caller: HubCaller,
  { ended, after }: { readonly ended?: boolean | undefined; readonly after?: string | undefined },
): Promise<{ readonly sessions: SessionRow[]; readonly next: string | null }> {
  const agentId = await caller.agentId;
  const states = ended === true ? undefined : (['INVITED', 'ACTIVE', 'CLOSING'] as const);
  const page = await caller.call('list_sessions', { states, after, limit: PAGE });
  const sessions = page.sessions.map(async (one) => ({
    session: one.session_id,
    type: one.type,
    state: one.state,
    your_turn: one.state === 'ACTIVE' && one.turn?.agent_id === agentId,
    closed: one.close_reason,
    ...(await whoIsIn(caller, agentId, one.session_id)),
  }));
  return { sessions: await Promise.all(sessions), next: page.next };
}

async function whoIsIn(caller: HubCaller, agentId: string, session_id: string) {
  const { session, turn } = await caller.call('get_session', { session_id });
  const isOver = isTerminal(session.state) || session.state === 'CLOSING';
  return {
    invited: participantOf(session, agentId)?.status === 'invited' && !isOver,
    topic: topicOf(session.labels, nameOf(session, session.creator_id)),
    from: nameOf(session, session.creator_id),
    participants: session.participants.slice(0, MOST_NAMED).map(({ name }) => name),
    expected: turn === null || session.state !== 'ACTIVE' ? null : nameOf(session, turn.agent_id),
  };
}
