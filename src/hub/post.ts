/** The story of a post: gather facts → admit → stamp → fold → stage → (durable) → answer and deliver. */

import { admitPost, type PostAnswer, type PostFacts } from '../core/decisions/admit.ts';
import type { Draft } from '../core/records/session/envelope.ts';
import { parseEventData } from '../core/records/session/event-data.ts';
import type { KeyRecord } from '../core/records/session/keys.ts';
import type { Limits } from '../core/records/access/limits.ts';
import type { PostParams } from '../core/operations.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Binding } from './bindings.ts';
import { NO_VERDICTS, type Verdicts } from './access/access.ts';
import { inboxRefusal } from './inbox-refusal.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import type { Toll } from './access/rates.ts';
import { turnRefusal } from './turn-refusal.ts';
import { ungranted } from './ungranted.ts';

export function post(parts: HubParts, sender: Binding, params: PostParams): Promise<PostAnswer> {
  const session = parts.sessions.atHand(params.session_id);
  const draft = draftOf(sender.agentId, params, parts.limits, session?.sessionId);
  const expectedSeq = params.expected_seq ?? null;
  parts.backlog.check();
  // From here to the staged unit is one turn of the event loop, and posts of one connection keep their order.
  if (session !== undefined && parts.gate.isOpen(draft, session.durable?.metadata)) {
    return admit(parts, session, { sender, draft, expectedSeq, verdicts: NO_VERDICTS, paid: false });
  }
  return admitWhenReady(parts, sender, draft, expectedSeq);
}

/** The session has to be loaded, or the post to wait: for the arbiter, for a count, or behind one that does. */
function admitWhenReady(
  parts: HubParts,
  sender: Binding,
  draft: Draft,
  expectedSeq: number | null,
): Promise<PostAnswer> {
  return parts.sessions.use(draft.session_id, (session) =>
    parts.gate.pass(sender, draft, session.durable?.metadata, (verdicts, hasWaited) => {
      const asked: Asked = { sender, draft, expectedSeq, verdicts, paid: false };
      // While it waited the session may have been put out of memory, and come back as another.
      if (hasWaited) return parts.sessions.use(draft.session_id, (now) => admit(parts, now, asked));
      return admit(parts, session, asked);
    }),
  );
}

function admit(parts: HubParts, session: LiveSession, asked: Asked): Promise<PostAnswer> {
  const { draft } = asked;
  return session.decideKeyed(
    draft,
    (state, earlier) => {
      const decision = admitPost(draft, factsOf(parts, session, state, asked, earlier));
      return parts.rates.charged(decision, draft.sender_id, asked);
    },
    draft.audience === null && !parts.gate.mayWithhold ? undefined : (advanced) => turnRefusal(parts, draft, advanced),
  );
}

/** What is known of a post before it is judged. */
export interface Asked extends Toll {
  readonly sender: Binding;
  readonly draft: Draft;
  readonly expectedSeq: number | null;
  readonly verdicts: Verdicts;
}

/** What admission needs to know, looked up when it is asked: the state may be another when it is asked again. */
export function factsOf(
  parts: HubParts,
  session: LiveSession,
  state: SessionState,
  asked: Asked,
  earlier?: KeyRecord,
): PostFacts {
  const { sender, draft, expectedSeq, verdicts } = asked;
  return {
    state,
    adapter: session.adapter,
    unavailable: session.unavailable,
    bound: parts.bindings.mayAct(sender),
    repeat: session.accepted(draft.sender_id, draft.idempotency_key) ?? earlier,
    expectedSeq,
    denied: parts.gate.denied(draft, state.metadata, verdicts),
    retryAfterMs: parts.rates.retryAfterMs(draft.sender_id, asked),
    inbox: inboxRefusal(parts, draft, state.metadata, verdicts),
    ungranted: ungranted(parts, draft, state.metadata),
  };
}

/** `sessionId`: the same id, as it is kept already; every post brings one of its own, and is kept for a while. */
export function draftOf(
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
