/** The decisions to open a delegation and to settle it. Pure: judged on the state a post would meet. */

import { noSuchSession, sessionClosed } from './decisions/admit.ts';
import { type Decision, refuse } from './decisions/advance.ts';
import type { DelegationOpened, DelegationSettled } from './records/work/delegation.ts';
import { leftFor } from './delegation-budget.ts';
import { settledDraft } from './state/open-delegations.ts';
import { hubDraft } from './records/session/envelope.ts';
import { ProtocolError, WireError } from './lib/errors.ts';
import type { Watch } from './ports/expectation.ts';
import type { JsonObject } from './lib/json.ts';
import { isTerminal, participantOf } from './records/session/session.ts';
import type { SessionState } from './state/state.ts';

/** As many of one session may be open at once. */
export const MOST_OPEN = 256;

export function openDelegation(
  state: SessionState,
  watch: Watch | null,
  opened: DelegationOpened,
  key: string | null,
): Decision<DelegationOpened> {
  const { metadata } = state;
  const refusal = mayNotDelegate(state, opened.agent_id) ?? overBudget(state, watch, opened);
  if (refusal !== null) return refuse(refusal);
  // DelegationOpened is JSON; its interface only lacks an index signature.
  const data = opened as unknown as JsonObject;
  const draft = { ...hubDraft(metadata.session_id, 'delegation.opened', data, []), idempotency_key: key };
  return { kind: 'append', drafts: [draft], answer: () => opened };
}

/** Once: what is settled, by whatever, stays as it is. */
export function settleDelegation(state: SessionState, settled: DelegationSettled): Decision<boolean> {
  const open = state.delegations.find(({ delegation_id }) => delegation_id === settled.delegation_id);
  if (open === undefined) return { kind: 'nothing', answer: false };
  return { kind: 'append', drafts: [settledDraft(state.metadata, open, settled)], answer: () => true };
}

/** Why this one may not delegate here now; null = it may. */
export function mayNotDelegate({ metadata, delegations }: SessionState, agentId: string): WireError | null {
  const { session_id, state } = metadata;
  const status = participantOf(metadata, agentId)?.status;
  if (status === undefined) return noSuchSession(session_id);
  if (isTerminal(state) || state === 'CLOSING') return sessionClosed(metadata, 'a delegation needs an active session');
  if (state !== 'ACTIVE') {
    return new ProtocolError(`session ${session_id} is ${state}; a delegation needs an active session`, { state });
  }
  if (status !== 'active') {
    const message = `only an active participant of session ${session_id} may delegate; you are ${status}`;
    return new WireError('forbidden', message, { status });
  }
  if (delegations.length < MOST_OPEN) return null;
  const message = `session ${session_id} has ${MOST_OPEN} open delegations, and may have no more; wait for one to be settled`;
  return new WireError('invalid_create', message, { most: MOST_OPEN });
}

/** A session that may not spend more than so much sets aside a part of it for each delegation. */
function overBudget(
  state: SessionState,
  watch: Watch | null,
  { agent_id, budget }: DelegationOpened,
): WireError | null {
  const left = leftFor(state, watch, agent_id);
  for (const unit of ['usd', 'tokens'] as const) {
    const most = left[unit];
    if (most === null) continue;
    const wanted = budget?.[unit] ?? null;
    if (wanted !== null && wanted <= most) continue;
    const field = `params.budget.${unit}`;
    const received = wanted === null ? 'nothing' : String(wanted);
    const message = `${field}: session ${state.metadata.session_id} has ${most} ${unit} of its budget left; expected a part of it, got ${received}`;
    return new WireError('invalid_create', message, { field, expected: `at most ${most}`, received, left });
  }
  return null;
}
