/** Handles the child session of a delegation: opens it, posts the prompt, and reads its outcome. */

import { admitPost } from '../../core/decisions/admit.ts';
import type { Decision } from '../../core/decisions/decision.ts';
import {
  closedBy,
  failureFrom,
  outcomeOf,
  PROMPT_REFUSED,
  removalFrom,
  replyFrom,
} from '../../core/decisions/delegation-decisions.ts';
import { closeSession } from '../../core/decisions/end-session.ts';
import type { WireError } from '../../core/lib/errors.ts';
import { sessionTtlMs } from '../../core/records/access/rule-schema.ts';
import type { CreateParams } from '../../core/records/session/create-params.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import type { KeyRecord } from '../../core/records/session/keys.ts';
import type { ExpectationEntry, SessionMetadata } from '../../core/records/session/session.ts';
import { addSpend, type Spend, spendFromEnvelope, ZERO_SPEND } from '../../core/records/session/spending.ts';
import {
  DELEGATION_LABEL,
  type DelegationOpened,
  type DelegationReply,
  type DelegationSettled,
} from '../../core/records/work/delegation.ts';
import { openedFrom } from '../../core/state/open-delegations.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { ArbiterVerdicts } from '../access/access.ts';
import { iterateLog } from '../log/read-pages.ts';
import type { Opening } from '../opening/opening.ts';
import { inboxRefusal, type Posting, toDraft } from '../posting/post.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import type { LiveSession } from '../sessions/live-session.ts';

export type DelegationChildrenNeeds = Pick<
  SharedRooms,
  'limits' | 'store' | 'registry' | 'sessions' | 'redactions' | 'access' | 'inboxes'
> & { readonly posting: Posting; readonly opening: Opening };

/** Default timeouts of a consulting session. */
const ACKS_SECONDS = 30;
const REPLY_SECONDS = 600;
const SPARE_SECONDS = 3600;
const RESPONDENT = 'respondent';

/** Idempotency key of the child and of its prompt, so that a crash never creates two. */
export function childKey(delegationId: string): string {
  return `delegation ${delegationId}`;
}

export class DelegationChildren {
  private readonly needs: DelegationChildrenNeeds;

  constructor(needs: DelegationChildrenNeeds) {
    this.needs = needs;
  }

  /** Opens the child in the name of the delegator, which need not be bound. Throws if it is rejected. */
  async open(parentId: string, opened: DelegationOpened): Promise<string> {
    const { registry, opening } = this.needs;
    const { agent_id } = opened;
    const creator = { agentId: agent_id, name: registry.nameOf(agent_id) ?? agent_id };
    const params = childParams(parentId, opened, sessionTtlMs(registry.ruleOf(agent_id)));
    return (await opening.createAs(creator, params)).session_id;
  }

  /** Posts the prompt unless it is posted already. Closes the child if the prompt is rejected. */
  async postPrompt(childId: string, opened: DelegationOpened): Promise<void> {
    const { limits, access, inboxes, posting } = this.needs;
    const { agent_id, delegation_id, prompt } = opened;
    const data = { text: prompt };
    const idempotency_key = childKey(delegation_id);
    const question = { session_id: childId, event_type: 'msg.text', event_data: data, idempotency_key };
    const draft = toDraft(agent_id, question, limits);
    const line = { endpoint: { endpointId: `delegation ${delegation_id}` } };
    const decide =
      (session: LiveSession, verdicts: ArbiterVerdicts) =>
      (state: SessionState, earlier?: KeyRecord): Decision<null> => {
        if (state.head.turn?.agent_id !== agent_id) return POSTED;
        const verdict = admitPost(draft, {
          state,
          adapter: session.adapter,
          unavailable: session.unavailable,
          bound: true,
          repeat: session.accepted(agent_id, idempotency_key) ?? earlier,
          expectedSeq: null,
          denied: access.denied(draft, state.metadata, verdicts),
          // The delegation was charged when it was opened.
          retryAfterMs: 0,
          inbox: inboxRefusal(access, inboxes, draft, state.metadata, verdicts),
          isQuestion: true,
        });
        if (verdict.kind === 'refuse') return closeOrRetry(state, verdict.error);
        return verdict.kind === 'append' ? { ...verdict, answer: () => null } : POSTED;
      };
    await posting.whenReady(line, draft, (session, verdicts) => session.decideKeyed(draft, decide(session, verdicts)));
  }

  /** The settlement of a child that is closing or has ended, read from its log. */
  async settlement(
    metadata: SessionMetadata,
    { delegation_id, agent_id, target_id }: Pick<DelegationOpened, 'delegation_id' | 'agent_id' | 'target_id'>,
    delegator_gone: boolean,
  ): Promise<DelegationSettled> {
    const { session_id } = metadata;
    let reply: DelegationReply | null = null;
    let gone: string | null = null;
    let failed: string | null = null;
    let closer: string | null | undefined;
    let spent = ZERO_SPEND;
    const reserved = new Map<string, Spend>();
    for await (const entries of iterateLog(this.needs.store, session_id, 1, metadata.head_seq)) {
      for (const { envelope } of entries) {
        reply ??= replyFrom(envelope, target_id);
        gone ??= removalFrom(envelope, target_id);
        failed = failureFrom(envelope, target_id) ?? failed;
        if (closer === undefined) closer = closedBy(envelope);
        if (envelope.event_type === 'delegation.opened') reserved.set(...reservedWith(envelope));
        spent = addSpend(spent, spendFromEnvelope(envelope) ?? unknownIn(envelope, reserved));
      }
    }
    const known = { reply, gone, failed, closed_by: closer ?? null, delegator_gone };
    const target_gone = this.needs.registry.isGone(target_id);
    const { outcome, reason } = outcomeOf(metadata, target_id, { ...known, target_gone });
    return { delegation_id, agent_id, child_session_id: session_id, outcome, reason, spent };
  }

  /** The first reply in the log of a child. */
  async replyOf(childId: string, targetId: string): Promise<DelegationReply | null> {
    const { store, redactions } = this.needs;
    const stored = await store.head(childId);
    for await (const entries of iterateLog(store, childId, 1, stored?.head.seq ?? 0)) {
      for (const { envelope } of redactions.allShown(entries)) {
        const reply = replyFrom(envelope, targetId);
        if (reply !== null) return reply;
      }
    }
    return null;
  }
}

function childParams(parentId: string, opened: DelegationOpened, ttlMs: number): CreateParams {
  const { delegation_id, target_id, timeout } = opened;
  const waits = (timeout ?? ACKS_SECONDS) + (timeout ?? REPLY_SECONDS);
  return {
    type: 'consulting',
    participants: [target_id],
    labels: { [DELEGATION_LABEL]: delegation_id },
    expectations: expectationsOf(opened),
    // A stalled child must end, so that the delegator stops waiting.
    ttl: Math.max(ttlMs / 1000, waits + SPARE_SECONDS),
    parent_session_id: parentId,
    idempotency_key: childKey(delegation_id),
  };
}

function expectationsOf({ timeout, budget }: DelegationOpened): readonly ExpectationEntry[] {
  const closing = (name: string, params: ExpectationEntry['params']) => ({ name, on_violation: 'auto_close', params });
  const within = {
    ...(budget?.usd == null ? {} : { usd: budget.usd }),
    ...(budget?.tokens == null ? {} : { tokens: budget.tokens }),
  };
  return [
    closing('acks_within', { seconds: timeout ?? ACKS_SECONDS }),
    closing('reply_within', { seconds: timeout ?? REPLY_SECONDS }),
    // Do not wait for a target that has reported a failure.
    {
      ...closing('turn_within', { seconds: timeout ?? REPLY_SECONDS, on_failure: true }),
      applies_to: [RESPONDENT],
    },
    ...(budget === null ? [] : [closing('budget_within', within)]),
  ];
}

const POSTED: Decision<null> = { kind: 'nothing', answer: null };

/** Closes the child, unless the rejection is temporary: then the caller retries. */
function closeOrRetry(state: SessionState, error: WireError): Decision<null> {
  if (error.code === 'unavailable' || error.code === 'internal') throw error;
  const decision = closeSession(state, null, `${PROMPT_REFUSED}: ${error.message}`.slice(0, 256));
  return decision.kind === 'append' ? { ...decision, answer: () => null } : POSTED;
}

function reservedWith(envelope: Envelope): [string, Spend] {
  const { delegation_id, budget } = openedFrom(envelope);
  return [delegation_id, { usd: budget?.usd ?? 0, tokens: budget?.tokens ?? 0, unpriced: 1 }];
}

/** The cost of a delegation that was cut off is unknown: count its reserved budget. */
function unknownIn({ event_type, event_data }: Envelope, reserved: ReadonlyMap<string, Spend>): Spend {
  const isSettled = event_type === 'delegation.settled';
  return (isSettled ? reserved.get(String(event_data.delegation_id)) : undefined) ?? ZERO_SPEND;
}
