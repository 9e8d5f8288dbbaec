/** The path of a post: gather facts → admit → stamp → fold → stage → (durable) → deliver and answer. */

import {
  admitPost,
  type PostAnswer,
  type PostFacts,
  sessionNotFoundError,
  turnIsVisible,
} from '../../core/decisions/admit.ts';
import { type AppliedUnit, type Decision, refuse } from '../../core/decisions/decision.ts';
import { ProtocolError, WireError } from '../../core/lib/errors.ts';
import type { PostParams } from '../../core/protocol/operations/posting.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { Draft } from '../../core/records/session/envelope.ts';
import { parseEventData } from '../../core/records/session/event-data.ts';
import type { KeyRecord } from '../../core/records/session/keys.ts';
import { nameOf, type Participant, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { givesTurn } from '../../core/records/session/unit.ts';
import type { SessionState } from '../../core/state/state.ts';
import { type Access, type ArbiterVerdicts, isRecipient, NO_VERDICTS } from '../access/access.ts';
import type { RateCharge } from '../access/rates.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { PostAuthorizer, Sender } from './post-authorizer.ts';
import type { SharedRooms } from './shared-rooms.ts';

type PostingNeeds = Pick<
  SharedRooms,
  'limits' | 'backlog' | 'registry' | 'bindings' | 'sessions' | 'access' | 'rates' | 'inboxes'
> & { readonly gate: PostAuthorizer };

/** A post before its decision. */
interface Asked extends RateCharge {
  readonly sender: Binding;
  readonly draft: Draft;
  readonly expectedSeq: number | null;
  readonly verdicts: ArbiterVerdicts;
}

export class Posting {
  private readonly needs: PostingNeeds;

  constructor(needs: PostingNeeds) {
    this.needs = needs;
  }

  post(sender: Binding, params: PostParams): Promise<PostAnswer> {
    const { sessions, gate, backlog, limits } = this.needs;
    const session = sessions.atHand(params.session_id);
    const draft = toDraft(sender.agentId, params, limits, session?.sessionId);
    const expectedSeq = params.expected_seq ?? null;
    backlog.check();
    // From here to the staged unit is one tick, so posts of one connection keep their order.
    if (session !== undefined && gate.isOpen(draft, session.durable?.metadata)) {
      return this.admit(session, { sender, draft, expectedSeq, verdicts: NO_VERDICTS, paid: false });
    }
    return this.whenReady(sender, draft, (loaded, verdicts) =>
      this.admit(loaded, { sender, draft, expectedSeq, verdicts, paid: false }),
    );
  }

  /** Decides for a caller that must still be bound at the decision: loading the session may take a while. */
  async decideForCaller<T>(
    by: Binding,
    sessionId: string,
    decide: (state: SessionState, session: LiveSession) => Decision<T>,
  ): Promise<T> {
    const { backlog, sessions, bindings } = this.needs;
    backlog.check();
    return sessions.use(sessionId, (session) =>
      session.decide((state) => (bindings.mayAct(by) ? decide(state, session) : refuse(notBoundError(by.name)))),
    );
  }

  /** A draft of the given type without content. */
  emptyDraft(sender: Binding, session_id: string, event_type: string, audience: readonly string[] | null): Draft {
    const event_data = event_type === 'msg.packet' ? { body: null } : { text: '' };
    return toDraft(sender.agentId, { session_id, event_type, event_data, audience }, this.needs.limits);
  }

  /** Why a post would be rejected now, or null; has no effect. To a non-participant the session does not exist. */
  judge(
    session: LiveSession,
    sender: Binding,
    draft: Draft,
    verdicts: ArbiterVerdicts,
  ): { readonly refusal: WireError | null; readonly state: SessionState } {
    const state = session.durable;
    if (state === null || participantOf(state.metadata, sender.agentId) === undefined) {
      throw sessionNotFoundError(draft.session_id);
    }
    const asked = { sender, draft, expectedSeq: null, verdicts, paid: false };
    const verdict = admitPost(draft, this.facts(session, state, asked));
    return { refusal: verdict.kind === 'refuse' ? verdict.error : null, state };
  }

  /** Runs `work` once the session is loaded and the draft waits for neither the arbiter, an inbox count nor an earlier draft. */
  whenReady<T>(
    sender: Sender,
    draft: Draft,
    work: (session: LiveSession, verdicts: ArbiterVerdicts) => Promise<T>,
  ): Promise<T> {
    const { sessions, gate } = this.needs;
    return sessions.use(draft.session_id, (session) =>
      gate.pass(sender, draft, session.durable?.metadata, (verdicts, hasWaited) =>
        // The session may have been evicted and reloaded while the draft waited.
        hasWaited ? sessions.use(draft.session_id, (now) => work(now, verdicts)) : work(session, verdicts),
      ),
    );
  }

  private admit(session: LiveSession, asked: Asked): Promise<PostAnswer> {
    const { draft } = asked;
    const { access, rates } = this.needs;
    return session.decideKeyed(
      draft,
      (state, earlier) => {
        const decision = admitPost(draft, this.facts(session, state, asked, earlier));
        return rates.charged(decision, draft.sender_id, asked);
      },
      draft.audience === null && !access.mayWithhold ? undefined : (advanced) => turnRefusal(access, draft, advanced),
    );
  }

  /** The facts for admission, gathered at each decision: after a conflict the state differs. */
  private facts(session: LiveSession, state: SessionState, asked: Asked, earlier?: KeyRecord): PostFacts {
    const { bindings, access, rates, inboxes, registry } = this.needs;
    const { sender, draft, expectedSeq, verdicts } = asked;
    return {
      state,
      adapter: session.adapter,
      unavailable: session.unavailable,
      bound: bindings.mayAct(sender),
      repeat: session.accepted(draft.sender_id, draft.idempotency_key) ?? earlier,
      expectedSeq,
      denied: access.denied(draft, state.metadata, verdicts),
      retryAfterMs: rates.retryAfterMs(draft.sender_id, asked),
      inbox: inboxRefusal(access, inboxes, draft, state.metadata, verdicts),
      ungranted: missingGrant(registry, sender.credential, draft, state.metadata),
    };
  }
}

/** `sessionId`: the id as a string that the hub keeps anyway, so that drafts do not each retain a copy. */
export function toDraft(
  senderId: string,
  params: PostParams,
  limits: Limits,
  sessionId: string = params.session_id,
): Draft {
  return {
    session_id: sessionId,
    sender_id: senderId,
    audience: params.audience ?? null,
    event_type: params.event_type,
    event_data: parseEventData(params.event_type, params.event_data, limits),
    causation_id: params.causation_id ?? null,
    task_id: params.task_id ?? null,
    traceparent: params.traceparent ?? null,
    priority: params.priority ?? 'normal',
    idempotency_key: params.idempotency_key ?? null,
    ttl_seconds: params.ttl_seconds ?? null,
  };
}

interface FullInboxes {
  isFull(agentId: string): boolean;
}

/** Rejects if a named recipient (without an audience: every recipient) is denied or has a full inbox. */
export function inboxRefusal(
  access: Access,
  inboxes: FullInboxes,
  draft: Draft,
  metadata: SessionMetadata,
  verdicts: ArbiterVerdicts,
): WireError | null {
  const refusalOf = ({ agent_id, name }: Participant): WireError | null => {
    const denial = access.inboxDenied(draft, metadata, agent_id, verdicts);
    if (denial !== null) return new WireError('forbidden', `this post is not allowed: ${denial}`, { reason: denial });
    if (!inboxes.isFull(agent_id)) return null;
    return new WireError('inbox_full', `the inbox of ${name} is full (limits.inbox)`, { agent_id });
  };
  const isNamed = draft.audience !== null;
  let first: WireError | null = null;
  for (const participant of metadata.participants) {
    if (!isRecipient(participant, draft)) continue;
    const refusal = refusalOf(participant);
    if (refusal === null && !isNamed) return null;
    if (refusal !== null && isNamed) return refusal;
    first ??= refusal;
  }
  return first;
}

/** The next holder must be allowed to receive the envelope that gives it the turn. An asynchronous arbiter decides at delivery. */
function turnRefusal(access: Access, draft: Draft, advanced: AppliedUnit): WireError | null {
  const invisible = turnIsVisible(draft, advanced);
  const [entry] = advanced.entries;
  const next = entry?.turn?.agent_id;
  if (invisible !== null || entry === undefined || next === undefined || !givesTurn(entry, next)) return invisible;
  if (next === draft.sender_id) return null;
  const denial = access.deliveryDenied(entry.envelope, next);
  if (denial === null || denial instanceof Promise) return null;
  const name = nameOf(advanced.after.metadata, next);
  return new ProtocolError(`this post gives the turn to '${name}', but may not be delivered to it: ${denial}`, {
    reason: denial,
  });
}

/** The grant the session type requires for this event type and the sender lacks, or null. */
function missingGrant(
  registry: { hasGrant(agentId: string, grant: Grant, credential: Credential | null): boolean },
  credential: Credential | null,
  draft: Draft,
  { manifest }: SessionMetadata,
): Grant | null {
  const { grants } = manifest;
  if (grants === undefined || !Object.hasOwn(grants, draft.event_type)) return null;
  const needed = grants[draft.event_type];
  return needed === undefined || registry.hasGrant(draft.sender_id, needed, credential) ? null : needed;
}
