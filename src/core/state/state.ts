/** The state of a session: a pure fold of its log. Live operation and replay run the same function. */

import { msFromIso } from '../lib/time.ts';
import type { CompleteAdapter } from '../ports/adapter.ts';
import type { ExpectationSet, TimingFacts } from '../ports/expectation.ts';
import { type Awaited, type Envelope, isFolded, type Turn } from '../records/session/envelope.ts';
import type { CreatedData, Participant, ParticipantStatus, SessionMetadata } from '../records/session/session.ts';
import type { Entry, Head } from '../records/session/unit.ts';
import { foldTasks, NO_TASKS, type Tasks } from '../records/work/tasks.ts';
import { foldHead } from './fold-head.ts';
import { applyInvite } from './invite.ts';
import { foldDelegations, NO_DELEGATIONS, type OpenDelegation } from './open-delegations.ts';
import { foldPacing, NO_PACING } from './pacing.ts';
import { nextDue, type WaitInput } from './waits.ts';

export interface SessionState {
  readonly metadata: SessionMetadata;
  readonly head: Head;
  /** Opaque; undefined if the adapter is missing. */
  readonly adapter_state: unknown;
  /** The seq at which each participant got its current status. */
  readonly status_seq: Readonly<Record<string, number>>;
  /** Input of expectations; empty if the session has none. */
  readonly pacing: TimingFacts;
  /** Unsettled delegations. */
  readonly delegations: readonly OpenDelegation[];
  readonly tasks: Tasks;
}

/** Input of the fold in addition to the log. Without an adapter, everything except the adapter's state is folded. */
export interface FoldContext {
  readonly adapter: CompleteAdapter | null;
  readonly epoch: number;
  /** The session's expectations; absent or null = none. */
  readonly watch?: ExpectationSet | null;
  /** On replay, the logged turn; used if the adapter is missing. */
  readonly recorded?: Turn | null;
}

export function foldEnvelope(state: SessionState | null, envelope: Envelope, context: FoldContext): SessionState {
  const { adapter, watch = null } = context;
  if (state === null) {
    const metadata = createdMetadata(envelope, context.epoch);
    const status_seq = Object.fromEntries(metadata.participants.map(({ agent_id }) => [agent_id, envelope.seq]));
    const adapter_state = adapter?.initialState(metadata);
    const pacing = foldPacing(NO_PACING, envelope, metadata, null, watch);
    const head = foldHead(null, withDue(envelope, { metadata, turn: null, pacing, adapter_state }, watch, null));
    const [delegations, tasks] = [NO_DELEGATIONS, NO_TASKS];
    return { metadata: Object.freeze(metadata), head, adapter_state, status_seq, pacing, delegations, tasks };
  }
  const metadata = Object.freeze(foldMetadata(state.metadata, envelope));
  const folds = adapter !== null && isFolded(envelope.event_type);
  const adapter_state = folds ? adapter.fold(envelope, state.adapter_state, metadata) : state.adapter_state;
  const turn = adapter === null ? knownTurn(state, metadata, context) : expectedTurn(adapter, metadata, adapter_state);
  const pacing = foldPacing(state.pacing, envelope, metadata, turn, watch);
  // The waits of an unavailable session are unknown: keep its last deadline, to check again at that time.
  const lastDue = adapter === null ? (state.head.due_at ?? null) : null;
  const tasks = envelope.task_id === null ? state.tasks : foldTasks(state.tasks, envelope);
  const watched = { metadata, turn, pacing, adapter_state };
  const awaits = metadata.state === 'ACTIVE' ? awaitedIn(adapter, watched, state.head) : undefined;
  const entry = withDue(envelope, watched, watch, lastDue, tasks.due_at);
  const head = foldHead(state.head, awaits === undefined ? entry : { ...entry, awaits });
  const status_seq =
    metadata.participants === state.metadata.participants
      ? state.status_seq
      : foldStatusSeq(state, metadata, envelope.seq);
  const delegations = foldDelegations(state.delegations, envelope);
  return { metadata, head, adapter_state, status_seq, pacing, delegations, tasks };
}

/** The entry of the envelope, with the earliest deadline of expectations and tasks. */
function withDue(
  envelope: Envelope,
  watched: WaitInput,
  watch: ExpectationSet | null,
  lastDue: number | null,
  tasksDue: number | null = null,
): Entry {
  const { turn } = watched;
  const expected = watch === null ? lastDue : nextDue(watch, watched, msFromIso(envelope.created_at));
  const due = expected === null || (tasksDue !== null && tasksDue < expected) ? tasksDue : expected;
  return due === null ? { envelope, turn } : { envelope, turn, due };
}

function expectedTurn(adapter: CompleteAdapter, metadata: SessionMetadata, adapterState: unknown): Turn | null {
  return metadata.state === 'ACTIVE' ? adapter.expectedNext(metadata, adapterState) : null;
}

/** `since_seq` stays while the text and grant stay. Without its adapter a session keeps its previous decision. */
function awaitedIn(
  adapter: CompleteAdapter | null,
  { metadata, adapter_state }: WaitInput,
  { awaits: before }: Head,
): Awaited | undefined {
  if (adapter === null) return before;
  const now = adapter.awaits(metadata, adapter_state);
  if (now === null) return undefined;
  const { text, grant } = now;
  return before?.text === text && before.grant === grant ? before : { text, grant, since_seq: metadata.head_seq };
}

/** Without its adapter a session keeps the logged turn while its holder is active. */
function knownTurn(
  { head }: SessionState,
  metadata: SessionMetadata,
  { recorded = head.turn }: FoldContext,
): Turn | null {
  if (recorded === null || metadata.state !== 'ACTIVE') return null;
  const holder = metadata.participants.find(({ agent_id }) => agent_id === recorded.agent_id);
  return holder?.status === 'active' ? recorded : null;
}

function createdMetadata(envelope: Envelope, epoch: number): SessionMetadata {
  // The hub made this data from a parsed request, so it needs no schema check.
  const created = envelope.event_data as unknown as CreatedData;
  const isCreator = (agentId: string) => agentId === created.creator_id;
  return {
    session_id: envelope.session_id,
    manifest: created.manifest,
    creator_id: created.creator_id,
    participants: created.participants.map((participant) => ({
      ...participant,
      joined_at: isCreator(participant.agent_id) ? envelope.created_at : null,
      status: isCreator(participant.agent_id) ? 'active' : 'invited',
    })),
    state: 'INVITED',
    created_at: envelope.created_at,
    opened_at: null,
    expires_at: created.expires_at,
    closed_at: null,
    close_reason: null,
    parent_session_id: created.parent_session_id,
    depth: created.depth,
    knobs: created.knobs,
    labels: created.labels,
    required_acks: created.required_acks,
    pending_acks: created.participants.map(({ agent_id }) => agent_id).filter((id) => !isCreator(id)),
    rejected_by: [],
    head_seq: envelope.seq,
    epoch,
  };
}

function foldMetadata(before: SessionMetadata, envelope: Envelope): SessionMetadata {
  const metadata = atSeq(before, envelope.seq);
  const data = envelope.event_data;
  const agentId = typeof data.agent_id === 'string' ? data.agent_id : '';
  const reason = typeof data.reason === 'string' ? data.reason : null;
  switch (envelope.event_type) {
    case 'session.invite':
      return { ...metadata, ...applyInvite(before, envelope) };
    case 'session.invite.ack':
      return { ...metadata, ...answered(before, agentId), participants: joined(before, agentId, envelope) };
    case 'session.invite.reject':
      return {
        ...metadata,
        ...answered(before, agentId),
        participants: withStatus(before, agentId, 'rejected'),
        rejected_by: [...before.rejected_by, agentId],
      };
    case 'session.opened':
      return { ...metadata, state: 'ACTIVE', opened_at: envelope.created_at };
    case 'session.closing':
      return { ...metadata, state: 'CLOSING', close_reason: reason };
    case 'session.closed':
      return { ...metadata, state: 'CLOSED', closed_at: envelope.created_at, close_reason: reason };
    case 'session.expired':
      return { ...metadata, state: 'EXPIRED', closed_at: envelope.created_at, close_reason: reason };
    case 'session.participant.joined':
      return { ...metadata, ...answered(before, agentId), participants: joined(before, agentId, envelope) };
    case 'session.participant.hidden':
      return { ...metadata, participants: withStatus(before, agentId, 'hidden') };
    case 'session.participant.returned':
      return { ...metadata, participants: withStatus(before, agentId, 'active') };
    case 'session.participant.removed':
      return { ...metadata, ...answered(before, agentId), participants: withStatus(before, agentId, 'removed') };
    default:
      return metadata;
  }
}

/** Lists every member: this runs for every envelope, and a spread is ten times slower. */
function atSeq(before: SessionMetadata, seq: number): SessionMetadata {
  return {
    session_id: before.session_id,
    manifest: before.manifest,
    creator_id: before.creator_id,
    participants: before.participants,
    state: before.state,
    created_at: before.created_at,
    opened_at: before.opened_at,
    expires_at: before.expires_at,
    closed_at: before.closed_at,
    close_reason: before.close_reason,
    parent_session_id: before.parent_session_id,
    depth: before.depth,
    knobs: before.knobs,
    labels: before.labels,
    required_acks: before.required_acks,
    pending_acks: before.pending_acks,
    rejected_by: before.rejected_by,
    head_seq: seq,
    epoch: before.epoch,
  };
}

function answered(metadata: SessionMetadata, agentId: string): { readonly pending_acks: readonly string[] } {
  return { pending_acks: metadata.pending_acks.filter((pending) => pending !== agentId) };
}

function withStatus(metadata: SessionMetadata, agentId: string, status: ParticipantStatus): readonly Participant[] {
  return metadata.participants.map((participant) =>
    participant.agent_id === agentId ? { ...participant, status } : participant,
  );
}

/** An invitee keeps its place; a new participant gets the place in the envelope. */
function joined(metadata: SessionMetadata, agentId: string, envelope: Envelope): readonly Participant[] {
  const known = metadata.participants.find((participant) => participant.agent_id === agentId);
  if (known?.joined_at != null && known.status === 'active') return metadata.participants;
  if (known !== undefined) {
    return metadata.participants.map((participant) =>
      participant === known ? { ...known, status: 'active', joined_at: envelope.created_at } : participant,
    );
  }
  const { name, role, order } = envelope.event_data;
  const newcomer: Participant = {
    agent_id: agentId,
    name: String(name),
    role: String(role),
    order: Number(order),
    joined_at: envelope.created_at,
    status: 'active',
  };
  return [...metadata.participants, newcomer];
}

function foldStatusSeq(before: SessionState, after: SessionMetadata, seq: number): Readonly<Record<string, number>> {
  const statuses = new Map(before.metadata.participants.map(({ agent_id, status }) => [agent_id, status]));
  const changed = after.participants.filter(({ agent_id, status }) => statuses.get(agent_id) !== status);
  return { ...before.status_seq, ...Object.fromEntries(changed.map(({ agent_id }) => [agent_id, seq])) };
}
