/** Decides whether a session accepts a draft. The steps below run in order; each returns the draft, changed or not, or
 * a verdict that ends the decision. To add a rule, add a step. */

import { internalError, isProtocolError, ProtocolError, WireError } from '../lib/errors.ts';
import type { CompleteAdapter } from '../ports/adapter.ts';
import type { Grant } from '../records/access/grants.ts';
import { type Draft, isReservedType, isTaskType, type Turn } from '../records/session/envelope.ts';
import { isSameContent, type KeyRecord } from '../records/session/keys.ts';
import {
  isTerminal,
  nameOf,
  type Participant,
  participantOf,
  type SessionMetadata,
} from '../records/session/session.ts';
import { DELEGATION_LABEL } from '../records/work/delegation.ts';
import type { SessionState } from '../state/state.ts';
import { type AppliedUnit, type Decision, refuse } from './decision.ts';

/** Everything the decision needs, gathered beforehand so that the decision runs within one tick. */
export interface PostFacts {
  readonly state: SessionState;
  readonly adapter: CompleteAdapter | null;
  /** Why the adapter is missing; null if it is present, or if the reason is unknown. */
  readonly unavailable: string | null;
  /** true if the sender's binding is still current. */
  readonly bound: boolean;
  /** The record of an earlier post with the draft's idempotency key; undefined if the key is new. */
  readonly repeat: KeyRecord | undefined;
  readonly expectedSeq: number | null;
  /** Why the sender's access rule or the arbiter denies the draft; null if both allow it. */
  readonly denied: string | null;
  /** Time until the sender's rate allows the next post; 0 = now. */
  readonly retryAfterMs: number;
  /** Why a required recipient cannot receive the draft; null if all can. */
  readonly inbox: WireError | null;
  /** The grant that the type requires and the sender lacks; absent or null if none is missing. */
  readonly ungranted?: Grant | null;
  /** Set if the hub posts the prompt of a delegation in the delegator's name. */
  readonly isQuestion?: true;
}

export interface PostAnswer {
  readonly envelope_id: string;
  readonly seq: number;
  readonly created_at: string;
  readonly turn: Turn | null;
  readonly duplicate?: true;
}

type Verdict =
  | { readonly kind: 'refuse'; readonly error: WireError }
  | { readonly kind: 'nothing'; readonly answer: PostAnswer };
type Step = (draft: Draft, facts: PostFacts) => Draft | Verdict;

const steps: readonly Step[] = [
  senderIsBound,
  senderIsKnownHere,
  keyIsNew,
  senderMaySay,
  sessionHasNotEnded,
  sessionIsActive,
  senderIsActive,
  headIsExpected,
  rateAllows,
  inboxesTakeIt,
  typeMayBePosted,
  senderIsGranted,
  audienceHasSomeone,
  questionIsTheHubs,
  adapterIsThere,
  adapterAllows,
];

export function admitPost(draft: Draft, facts: PostFacts): Decision<PostAnswer> {
  let admitted = draft;
  for (const step of steps) {
    const result = step(admitted, facts);
    // Most steps return the draft unchanged.
    if (result === admitted) continue;
    if ('kind' in result) return result;
    admitted = result;
  }
  return { kind: 'append', drafts: [admitted], answer: (advanced) => answerOf(admitted, advanced) };
}

function senderIsBound(draft: Draft, { bound }: PostFacts): Draft | Verdict {
  if (bound) return draft;
  return refuse(
    new WireError('unauthenticated', `${draft.sender_id} is no longer bound to this connection; say hello again`),
  );
}

function senderIsKnownHere(draft: Draft, { state }: PostFacts): Draft | Verdict {
  if (participantOf(state.metadata, draft.sender_id) !== undefined) return draft;
  return refuse(sessionNotFoundError(draft.session_id));
}

function keyIsNew(draft: Draft, { repeat, state }: PostFacts): Draft | Verdict {
  if (repeat === undefined) return draft;
  const { envelope_id, seq, created_at } = repeat;
  if (isSameContent(repeat, draft, (agentId) => canReceive(state.metadata, agentId))) {
    return { kind: 'nothing', answer: { envelope_id, seq, created_at, turn: state.head.turn, duplicate: true } };
  }
  const message = `idempotency_key "${draft.idempotency_key}" was used for other content (seq ${seq}); take a new key`;
  return refuse(new WireError('duplicate', message, { envelope_id, seq, created_at }));
}

function senderMaySay(draft: Draft, { denied }: PostFacts): Draft | Verdict {
  return denied === null ? draft : refuse(sendDeniedError(denied));
}

function sessionHasNotEnded(draft: Draft, { state: { metadata } }: PostFacts): Draft | Verdict {
  if (!isTerminal(metadata.state) && metadata.state !== 'CLOSING') return draft;
  return refuse(sessionClosedError(metadata, `"${draft.event_type}" needs an active session`));
}

function sessionIsActive(draft: Draft, { state: { metadata } }: PostFacts): Draft | Verdict {
  if (metadata.state === 'ACTIVE') return draft;
  const waiting = metadata.pending_acks.map((id) => nameOf(metadata, id)).join(', ');
  const message = `session ${metadata.session_id} is ${metadata.state}; "${draft.event_type}" needs an active session (waiting for ${waiting})`;
  return refuse(new ProtocolError(message, { state: metadata.state, pending_acks: metadata.pending_acks }));
}

function senderIsActive(draft: Draft, { state }: PostFacts): Draft | Verdict {
  const sender = participantOf(state.metadata, draft.sender_id);
  if (sender?.status === 'active') return draft;
  return refuse(inactiveSender(sender, state));
}

function headIsExpected(draft: Draft, { expectedSeq, state: { metadata } }: PostFacts): Draft | Verdict {
  if (expectedSeq === null || expectedSeq === metadata.head_seq) return draft;
  const message = `session ${metadata.session_id} is at seq ${metadata.head_seq}, expected_seq was ${expectedSeq}; read on and try again`;
  return refuse(new WireError('conflict', message, { head: metadata.head_seq }));
}

function rateAllows(draft: Draft, { retryAfterMs }: PostFacts): Draft | Verdict {
  return retryAfterMs === 0 ? draft : refuse(rateLimitedError(retryAfterMs));
}

function inboxesTakeIt(draft: Draft, { inbox }: PostFacts): Draft | Verdict {
  return inbox === null ? draft : refuse(inbox);
}

function typeMayBePosted(draft: Draft): Draft | Verdict {
  const type = draft.event_type;
  if (isReservedType(type))
    return refuse(new ProtocolError(`"${type}" can only be created by the hub`, { event_type: type }));
  if (isTaskType(type)) return refuse(new ProtocolError(`"${type}" is reserved for tasks`, { event_type: type }));
  return draft;
}

function senderIsGranted(draft: Draft, { ungranted = null }: PostFacts): Draft | Verdict {
  if (ungranted === null) return draft;
  const message = `"${draft.event_type}" needs the grant "${ungranted}", which neither you nor your credential has`;
  return refuse(new WireError('forbidden', message, { grant: ungranted }));
}

/** Removes unknown, removed and rejected ids from the audience; another participant must remain. */
function audienceHasSomeone(draft: Draft, { state: { metadata } }: PostFacts): Draft | Verdict {
  if (draft.audience === null) return draft;
  const audience = [...new Set(draft.audience)].filter((agentId) => canReceive(metadata, agentId));
  if (audience.some((agentId) => agentId !== draft.sender_id)) return { ...draft, audience };
  const message = `audience: expected at least one other participant of session ${metadata.session_id}, got none that can receive it`;
  return refuse(new ProtocolError(message, { field: 'audience' }));
}

/** In a delegated child session, only the hub may post the first text: the prompt. */
function questionIsTheHubs(draft: Draft, { state: { metadata, head }, isQuestion }: PostFacts): Draft | Verdict {
  if (metadata.labels[DELEGATION_LABEL] === undefined || isQuestion === true) return draft;
  const { sender_id, event_type } = draft;
  const isAsked = head.turn?.agent_id !== metadata.creator_id;
  if (isAsked || sender_id !== metadata.creator_id || event_type !== 'msg.text') return draft;
  const message = `the first text of session ${metadata.session_id} is the delegated prompt, which the hub posts`;
  return refuse(new ProtocolError(message, { expected: null }, 'not_your_turn'));
}

function canReceive(metadata: SessionMetadata, agentId: string): boolean {
  const status = participantOf(metadata, agentId)?.status;
  return status !== undefined && status !== 'removed' && status !== 'rejected';
}

function adapterIsThere(draft: Draft, { adapter, unavailable }: PostFacts): Draft | Verdict {
  if (adapter !== null) return draft;
  const message = `session ${draft.session_id} is unavailable: ${unavailable ?? 'its adapter is missing'}`;
  return refuse(new WireError('unavailable', message, { outcome: 'refused' }));
}

function adapterAllows(draft: Draft, { adapter, state }: PostFacts): Draft | Verdict {
  try {
    adapter?.validateSend(state.metadata, draft, state.adapter_state);
    return draft;
  } catch (thrown) {
    if (isProtocolError(thrown)) return refuse(new ProtocolError(thrown.message, thrown.details, ownCode(thrown)));
    return refuse(internalError(thrown, `validateSend of ${state.metadata.manifest.type}`));
  }
}

export function rateLimitedError(retryAfterMs: number): WireError {
  const message = `you post faster than your access rule allows (limits.rate); try again in ${retryAfterMs} ms`;
  return new WireError('rate_limited', message, { retry_after_ms: retryAfterMs });
}

export function sendDeniedError(reason: string): WireError {
  return new WireError('forbidden', `this post is not allowed: ${reason}`, { reason });
}

export function sessionNotFoundError(sessionId: string): WireError {
  return new WireError('not_found', `no session ${sessionId}`);
}

export function sessionClosedError(metadata: SessionMetadata, need: string): WireError {
  const { session_id, state, close_reason } = metadata;
  return new WireError('session_closed', `session ${session_id} is ${state} (${close_reason}); ${need}`, {
    session_id,
    state,
    close_reason,
  });
}

/** The new holder must see the post that gives it the turn; otherwise it would be blamed for missing that turn. */
export function turnIsVisible(draft: Draft, { entries, after }: AppliedUnit): WireError | null {
  const first = entries[0];
  const turn = first?.turn;
  if (turn == null || turn.since_seq !== first?.envelope.seq || draft.audience === null) return null;
  if (turn.agent_id === draft.sender_id || draft.audience.includes(turn.agent_id)) return null;
  const name = nameOf(after.metadata, turn.agent_id);
  const message = `this gives the turn to '${name}', who is not in its audience; add '${name}' to the audience, or send it to everyone`;
  return new ProtocolError(message, { field: 'audience' });
}

function inactiveSender(sender: Participant | undefined, state: SessionState): WireError {
  const { session_id } = state.metadata;
  const seq = state.status_seq[sender?.agent_id ?? ''];
  if (sender?.status === 'hidden') {
    const message = `you are hidden in session ${session_id} since seq ${seq} and cannot post; return to the session first (return_to_session)`;
    return new ProtocolError(message, { turn_passed_at_seq: seq }, 'not_your_turn');
  }
  if (sender?.status === 'invited') {
    return new ProtocolError(`answer the invite to session ${session_id} before you post`, { status: 'invited' });
  }
  return new WireError('forbidden', `you are no longer a participant of session ${session_id} (${sender?.status})`);
}

/** Any other code becomes `protocol_error`: the error may come from another copy of this package. */
function ownCode(error: ProtocolError): 'protocol_error' | 'not_your_turn' {
  return error.code === 'not_your_turn' ? 'not_your_turn' : 'protocol_error';
}

function answerOf(draft: Draft, { entries }: AppliedUnit): PostAnswer {
  const entry = entries[0];
  if (entry === undefined) throw new WireError('internal', `${draft.event_type} was accepted without an entry`);
  const { envelope_id, seq, created_at } = entry.envelope;
  return { envelope_id, seq, created_at, turn: entries.at(-1)?.turn ?? null };
}
