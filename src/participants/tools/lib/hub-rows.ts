/** Builds the rows that tools of agents and of MCP show: agents, sessions, results of delegations. */

import type { OperationName, Params, Result } from '../../../core/protocol/operations/operations.ts';
import { isTerminal, nameOf, participantOf } from '../../../core/records/session/session.ts';
import { DELEGATION_LABEL, type DelegateAnswer, type DelegateParams } from '../../../core/records/work/delegation.ts';

/** A client, or the caller of an MCP tool. */
interface HubCaller {
  readonly agentId: string | Promise<string>;
  call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>>;
}

const PAGE = 20;
const SUMMARY_CHARS = 300;
const MAX_CAPABILITIES = 20;

interface PeerQuery {
  readonly capability?: string | undefined;
  readonly text?: string | undefined;
  /** Only connected agents. */
  readonly connected?: boolean | undefined;
  readonly after?: string | undefined;
}

interface PeerRow {
  readonly name: string;
  readonly kind: string;
  readonly connected: boolean;
  readonly you?: true;
  readonly capabilities: string[];
  readonly summary: string;
}

export async function findPeers(
  caller: HubCaller,
  { capability, text, connected, after }: PeerQuery,
): Promise<{ readonly peers: PeerRow[]; readonly next: string | null }> {
  const agentId = await caller.agentId;
  const bound = connected === true ? true : undefined;
  const page = await caller.call('find_agent', { capability, text, bound, after, limit: PAGE });
  // Single CLI commands register such names; nobody answers there.
  const agents = page.agents.filter(({ name }) => !name.startsWith('cli.'));
  const peers = agents.map(({ agent_id, name, kind, bound: isBound, resume }) => ({
    name,
    kind,
    connected: isBound,
    ...(agent_id === agentId ? { you: true as const } : {}),
    capabilities: resume.claimed_capabilities.slice(0, MAX_CAPABILITIES),
    summary: resume.summary.slice(0, SUMMARY_CHARS),
  }));
  return { peers, next: page.next };
}

const MAX_NAMED = 10;

interface SessionRow {
  readonly session: string;
  readonly type: string;
  readonly state: string;
  readonly topic: string | null;
  readonly your_turn: boolean;
  readonly closed: string | null;
  /** True if invited and not yet answered. */
  readonly invited: boolean;
  readonly from: string;
  /** The first ten. */
  readonly participants: string[];
  /** Name of the turn holder; null if nobody holds the turn. */
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
    participants: session.participants.slice(0, MAX_NAMED).map(({ name }) => name),
    expected: turn === null || session.state !== 'ACTIVE' ? null : nameOf(session, turn.agent_id),
  };
}

/** A delegated question is not copied here: it may be redacted in its session. */
export function topicOf(labels: Readonly<Record<string, string>>, creator: string): string | null {
  const { intent } = labels;
  if (intent !== undefined) return intent;
  return labels[DELEGATION_LABEL] === undefined ? null : `a question from ${creator}`;
}

/** A name, or `capability:review` for any agent that claims it. */
export function delegateTarget(to: string): DelegateParams['target'] {
  const [, capability] = /^capability:\s*(.+)$/.exec(to) ?? [];
  return capability === undefined ? to : { capability };
}

type DelegationResult =
  | { readonly status: 'waiting' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'answered'; readonly answer: string; readonly more?: true };

/** `more` is true if the answer is longer than `mostChars`. */
export function toDelegationResult({ outcome, reply, reason }: DelegateAnswer, mostChars: number): DelegationResult {
  if (outcome === 'open') return { status: 'waiting' };
  if (reply === null) return { status: 'failed', reason: reason ?? outcome };
  const isLong = reply.text.length > mostChars;
  return {
    status: 'answered',
    answer: isLong ? reply.text.slice(0, mostChars) : reply.text,
    ...(isLong ? { more: true as const } : {}),
  };
}
