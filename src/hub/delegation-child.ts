/** The child of a delegation: how it is opened, how its question is put, and what came of it. */

import { admitPost } from '../core/decisions/admit.ts';
import type { Decision } from '../core/decisions/advance.ts';
import {
  DELEGATION_LABEL,
  type DelegationOpened,
  type DelegationReply,
  type DelegationSettled,
} from '../core/records/work/delegation.ts';
import { closerIn, failedIn, goneIn, outcomeOf, PROMPT_REFUSED, replyIn } from '../core/delegation-outcome.ts';
import { openedIn } from '../core/state/open-delegations.ts';
import { closeSession } from '../core/decisions/end-session.ts';
import type { Envelope } from '../core/records/session/envelope.ts';
import type { WireError } from '../core/lib/errors.ts';
import type { KeyRecord } from '../core/records/session/keys.ts';
import type { CreateParams } from '../core/operations.ts';
import { sessionTtlMs } from '../core/records/access/rule.ts';
import type { ExpectationEntry, SessionMetadata } from '../core/records/session/session.ts';
import { NOTHING_SPENT, plusSpent, type Spent, spentWith } from '../core/records/session/spending.ts';
import type { SessionState } from '../core/state/state.ts';
import { createAs } from './create-session.ts';
import type { Verdicts } from './access/access.ts';
import { inboxRefusal } from './inbox-refusal.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import { draftOf } from './post.ts';
import { logPages } from './log/read-pages.ts';

/** What a consulting session waits by itself, in seconds. */
const ACKS_SECONDS = 30;
const REPLY_SECONDS = 600;
const SPARE_SECONDS = 3600;
/** The role of who is asked in it. */
const RESPONDENT = 'respondent';

/** The key its child is created under, and its question put: a crash never makes two. */
export function childKey(delegationId: string): string {
  return `delegation ${delegationId}`;
}

/** Opens the child in the name of who delegated, who need not be connected now. Throws what refuses it. */
export async function openChild(parts: HubParts, parentId: string, opened: DelegationOpened): Promise<string> {
  const { agent_id } = opened;
  const creator = { agentId: agent_id, name: parts.registry.nameOf(agent_id) ?? agent_id };
  return (await createAs(parts, creator, childParams(parts, parentId, opened))).session_id;
}

function childParams({ registry }: HubParts, parentId: string, opened: DelegationOpened): CreateParams {
  const { delegation_id, agent_id, target_id, timeout } = opened;
  const waits = (timeout ?? ACKS_SECONDS) + (timeout ?? REPLY_SECONDS);
  return {
    type: 'consulting',
    participants: [target_id],
    labels: { [DELEGATION_LABEL]: delegation_id },
    expectations: expectationsOf(opened),
    // Also a child that somebody holds up ends, and so does the wait for it.
    ttl: Math.max(sessionTtlMs(registry.ruleOf(agent_id)) / 1000, waits + SPARE_SECONDS),
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
    // Who says that there will be no answer is not waited for.
    {
      ...closing('turn_within', { seconds: timeout ?? REPLY_SECONDS, on_failure: true }),
      applies_to: [RESPONDENT],
    },
    ...(budget === null ? [] : [closing('budget_within', within)]),
  ];
}

/** Puts the question if nobody has; a child in which it cannot be put is closed. */
export async function putQuestion(parts: HubParts, childId: string, opened: DelegationOpened): Promise<void> {
  const { agent_id, delegation_id, prompt } = opened;
  const data = { text: prompt };
  const idempotency_key = childKey(delegation_id);
  const said = { session_id: childId, event_type: 'msg.text', event_data: data, idempotency_key };
  const draft = draftOf(agent_id, said, parts.limits);
  const line = { endpoint: { endpointId: `delegation ${delegation_id}` } };
  const decide =
    (session: LiveSession, verdicts: Verdicts) =>
    (state: SessionState, earlier?: KeyRecord): Decision<null> => {
      if (state.head.turn?.agent_id !== agent_id) return ASKED;
      const verdict = admitPost(draft, {
        state,
        adapter: session.adapter,
        unavailable: session.unavailable,
        bound: true,
        repeat: session.accepted(agent_id, idempotency_key) ?? earlier,
        expectedSeq: null,
        denied: parts.gate.denied(draft, state.metadata, verdicts),
        // What was delegated was paid for then.
        retryAfterMs: 0,
        inbox: inboxRefusal(parts, draft, state.metadata, verdicts),
        isQuestion: true,
      });
      if (verdict.kind === 'refuse') return refused(state, verdict.error);
      return verdict.kind === 'append' ? { ...verdict, answer: () => null } : ASKED;
    };
  await parts.sessions.use(childId, (session) =>
    parts.gate.pass(line, draft, session.durable?.metadata, (verdicts) =>
      parts.sessions.use(childId, (now) => now.decideKeyed(draft, decide(now, verdicts))),
    ),
  );
}

const ASKED: Decision<null> = { kind: 'nothing', answer: null };

/** What is only not possible now is tried again. */
function refused(state: SessionState, error: WireError): Decision<null> {
  if (error.code === 'unavailable' || error.code === 'internal') throw error;
  const decision = closeSession(state, null, `${PROMPT_REFUSED}: ${error.message}`.slice(0, 256));
  return decision.kind === 'append' ? { ...decision, answer: () => null } : ASKED;
}

/** What the log of a child that is closing or has ended says. */
export async function settlementOf(
  parts: HubParts,
  metadata: SessionMetadata,
  { delegation_id, agent_id, target_id }: Pick<DelegationOpened, 'delegation_id' | 'agent_id' | 'target_id'>,
  delegator_gone: boolean,
): Promise<DelegationSettled> {
  const { session_id } = metadata;
  let reply: DelegationReply | null = null;
  let gone: string | null = null;
  let failed: string | null = null;
  let closer: string | null | undefined;
  let spent = NOTHING_SPENT;
  const reserved = new Map<string, Spent>();
  for await (const entries of logPages(parts.store, session_id, 1, metadata.head_seq)) {
    for (const { envelope } of entries) {
      reply ??= replyIn(envelope, target_id);
      gone ??= goneIn(envelope, target_id);
      failed = failedIn(envelope, target_id) ?? failed;
      if (closer === undefined) closer = closerIn(envelope);
      if (envelope.event_type === 'delegation.opened') reserved.set(...reservedWith(envelope));
      spent = plusSpent(spent, spentWith(envelope) ?? unknownIn(envelope, reserved));
    }
  }
  const known = { reply, gone, failed, closed_by: closer ?? null, delegator_gone };
  const target_gone = parts.registry.isGone(target_id);
  const { outcome, reason } = outcomeOf(metadata, target_id, { ...known, target_gone });
  return { delegation_id, agent_id, child_session_id: session_id, outcome, reason, spent };
}

function reservedWith(envelope: Envelope): [string, Spent] {
  const { delegation_id, budget } = openedIn(envelope);
  return [delegation_id, { usd: budget?.usd ?? 0, tokens: budget?.tokens ?? 0, unpriced: 1 }];
}

/** Of a delegation that was cut off nobody knows what it cost: what was set aside for it counts. */
function unknownIn({ event_type, event_data }: Envelope, reserved: ReadonlyMap<string, Spent>): Spent {
  const isSettled = event_type === 'delegation.settled';
  return (isSettled ? reserved.get(String(event_data.delegation_id)) : undefined) ?? NOTHING_SPENT;
}

/** The reply of a child, wherever it stands. */
export async function replyOf(parts: HubParts, childId: string, targetId: string): Promise<DelegationReply | null> {
  const stored = await parts.store.head(childId);
  for await (const entries of logPages(parts.store, childId, 1, stored?.head.seq ?? 0)) {
    for (const { envelope } of parts.redactions.allShown(entries)) {
      const reply = replyIn(envelope, targetId);
      if (reply !== null) return reply;
    }
  }
  return null;
}
