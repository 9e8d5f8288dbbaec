/** Opens and settles delegations. Pure: decides on the current state of the parent session. */

import { ProtocolError, WireError } from '../lib/errors.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import type { AcceptEntry, ExpectationSet } from '../ports/expectation.ts';
import { type Envelope, HUB_ID, hubDraft } from '../records/session/envelope.ts';
import { isTerminal, participantOf, type SessionMetadata } from '../records/session/session.ts';
import type {
  DelegateParams,
  DelegationBudget,
  DelegationOpened,
  DelegationOutcome,
  DelegationReply,
  DelegationSettled,
} from '../records/work/delegation.ts';
import { settledDraft } from '../state/open-delegations.ts';
import { appliesTo } from '../state/pacing.ts';
import type { SessionState } from '../state/state.ts';
import { sessionClosedError, sessionNotFoundError } from './admit.ts';
import { type Decision, refuse } from './decision.ts';

/** Maximum number of open delegations per session. */
export const MAX_OPEN = 256;

export function openDelegation(
  state: SessionState,
  watch: ExpectationSet | null,
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

/** A delegation is settled once; later calls change nothing. */
export function settleDelegation(state: SessionState, settled: DelegationSettled): Decision<boolean> {
  const open = state.delegations.find(({ delegation_id }) => delegation_id === settled.delegation_id);
  if (open === undefined) return { kind: 'nothing', answer: false };
  return { kind: 'append', drafts: [settledDraft(state.metadata.session_id, open, settled)], answer: () => true };
}

/** Why this agent may not delegate in this session now; null if it may. */
export function mayNotDelegate({ metadata, delegations }: SessionState, agentId: string): WireError | null {
  const { session_id, state } = metadata;
  const status = participantOf(metadata, agentId)?.status;
  if (status === undefined) return sessionNotFoundError(session_id);
  if (isTerminal(state) || state === 'CLOSING')
    return sessionClosedError(metadata, 'a delegation needs an active session');
  if (state !== 'ACTIVE') {
    return new ProtocolError(`session ${session_id} is ${state}; a delegation needs an active session`, { state });
  }
  if (status !== 'active') {
    const message = `only an active participant of session ${session_id} may delegate; you are ${status}`;
    return new WireError('forbidden', message, { status });
  }
  if (delegations.length < MAX_OPEN) return null;
  const message = `session ${session_id} has ${MAX_OPEN} open delegations, the maximum; wait until one is settled`;
  return new WireError('invalid_create', message, { most: MAX_OPEN });
}

/** A session with a budget reserves a part of it for each delegation. */
function overBudget(
  state: SessionState,
  watch: ExpectationSet | null,
  { agent_id, budget }: DelegationOpened,
): WireError | null {
  const left = remainingBudget(state, watch, agent_id);
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

type Unit = keyof DelegationBudget;

/** The budget this agent may still reserve, at least 0; null in a unit without a limit. */
function remainingBudget(state: SessionState, watch: ExpectationSet | null, agentId: string): DelegationBudget {
  const left: { usd: number | null; tokens: number | null } = { usd: null, tokens: null };
  (watch?.accepting ?? []).forEach((watched, i) => {
    const { entry } = watched;
    if (entry.name !== 'budget_within' || !appliesTo(entry, agentId, state.metadata)) return;
    for (const unit of ['usd', 'tokens'] as const) {
      const own = leftOf(unit, watched, state, state.pacing.tallies[i] ?? null);
      if (own !== null) left[unit] = Math.min(left[unit] ?? own, own);
    }
  });
  return left;
}

function leftOf(unit: Unit, { entry }: AcceptEntry, state: SessionState, tally: Json | null): number | null {
  const limit = entry.params[unit];
  if (typeof limit !== 'number') return null;
  const reserved = state.delegations
    .filter(({ agent_id }) => appliesTo(entry, agent_id, state.metadata))
    .reduce((sum, { budget }) => sum + inUnits(budget?.[unit] ?? 0, unit), 0);
  const left = atMost(limit, unit) - inUnits(amountIn(tally, unit), unit) - reserved;
  return Math.max(0, left) / PER_ONE[unit];
}

/** Rounds to whole billionths of a dollar, at least one, so that the requested and the reserved amount are equal. */
export function roundBudget({ usd, tokens }: NonNullable<DelegateParams['budget']>): DelegationBudget {
  const dollars = usd === undefined ? null : Math.max(1, inUnits(usd, 'usd')) / PER_ONE.usd;
  return { usd: dollars, tokens: tokens ?? null };
}

/** `budget_within` keeps the spent amount in its tally; a custom evaluator of that name may keep any JSON. */
function amountIn(tally: Json | null, unit: Unit): number {
  const amount = typeof tally === 'object' && tally !== null ? (tally as JsonObject)[unit] : undefined;
  return typeof amount === 'number' ? amount : 0;
}

/** Dollars are counted in billionths: after spending 0.1 and 0.2, exactly 0.7 of 1 is left. */
const PER_ONE: Readonly<Record<Unit, number>> = { usd: 1e9, tokens: 1 };

function inUnits(amount: number, unit: Unit): number {
  return Math.round(amount * PER_ONE[unit]);
}

/** Rounds a limit down to whole units. */
function atMost(limit: number, unit: Unit): number {
  const units = inUnits(limit, unit);
  return units / PER_ONE[unit] > limit ? units - 1 : units;
}

/** Close reason prefix of a child whose prompt was refused. */
export const PROMPT_REFUSED = 'prompt_refused';

export const DELEGATOR_REMOVED = 'delegator_removed';

/** The outcome for each close reason of the hub. Participants that close a child may use the same texts. */
const BY_REASON: ReadonlyMap<string, DelegationOutcome> = new Map<string, DelegationOutcome>([
  ['invite_rejected', 'rejected'],
  ['invite_timeout', 'timed_out'],
  ['expectation_violated:acks_within', 'timed_out'],
  ['expectation_violated:reply_within', 'timed_out'],
  ['ttl_expired', 'timed_out'],
  ['expectation_violated:budget_within', 'over_budget'],
  ['parent_closed', 'parent_closed'],
  [DELEGATOR_REMOVED, 'delegator_removed'],
]);

/** The target missed its turn deadline, or reported failure. */
const TURN_LOST = 'expectation_violated:turn_within';

/** Facts that decide the outcome of a child, in addition to its metadata. */
export interface ChildEnd {
  readonly reply: DelegationReply | null;
  /** Why the target was removed or declined; null if unknown. */
  readonly gone: string | null;
  /** The failure the target reported; null = none. */
  readonly failed: string | null;
  /** The agent that requested the end; null if the hub ended the child. */
  readonly closed_by: string | null;
  /** The delegator left the parent or is no longer registered. */
  readonly delegator_gone: boolean;
  /** The target is no longer registered. */
  readonly target_gone: boolean;
}

/** The outcome of a closing or ended child. A reply counts even if it was over budget. */
export function outcomeOf(
  metadata: SessionMetadata,
  targetId: string,
  { reply, gone, failed, closed_by, delegator_gone, target_gone }: ChildEnd,
): { readonly outcome: DelegationOutcome; readonly reason: string } {
  const reason = metadata.close_reason ?? metadata.state;
  if (reply !== null) return { outcome: 'replied', reason };
  if (closed_by !== null) return { outcome: 'closed', reason };
  if (reason === TURN_LOST)
    return failed === null ? { outcome: 'timed_out', reason } : { outcome: 'closed', reason: failed };
  const known = BY_REASON.get(reason);
  // Unregistering declines an open invite: report such a target as `left`, not `rejected`.
  if (known === 'rejected') return { outcome: target_gone ? 'left' : known, reason: gone ?? reason };
  if (known !== undefined) return { outcome: known, reason };
  if (reason.startsWith(PROMPT_REFUSED)) return { outcome: 'refused', reason };
  const isGone = participantOf(metadata, targetId)?.status === 'removed';
  if (isGone) return { outcome: 'left', reason: gone ?? reason };
  return delegator_gone ? { outcome: 'delegator_removed', reason: DELEGATOR_REMOVED } : { outcome: 'closed', reason };
}

/** The identity that requested the end this envelope begins: an agent id, null for the hub, undefined if it begins no end. */
export function closedBy({ event_type, sender_id, event_data }: Envelope): string | null | undefined {
  if (sender_id !== HUB_ID || !ENDS.has(event_type)) return undefined;
  return typeof event_data.by === 'string' ? event_data.by : null;
}

const ENDS: ReadonlySet<string> = new Set(['session.closing', 'session.closed', 'session.expired']);

/** The target's reply, if this envelope contains it, else null. */
export function replyFrom(envelope: Envelope, targetId: string): DelegationReply | null {
  const { event_type, sender_id, seq, envelope_id, event_data } = envelope;
  if (event_type !== 'msg.text' || sender_id !== targetId || typeof event_data.text !== 'string') return null;
  const { text, usage, cost_usd } = event_data;
  return {
    text,
    seq,
    envelope_id,
    sender_id,
    // `usage` was validated when the reply was posted.
    usage: (usage as JsonObject | undefined) ?? null,
    cost_usd: typeof cost_usd === 'number' ? cost_usd : null,
  };
}

/** Why the target cannot answer; null if this envelope reports no failure. */
export function failureFrom({ event_type, sender_id, task_id, event_data }: Envelope, targetId: string): string | null {
  const says = event_type === 'task.failed' && sender_id === targetId && task_id === null;
  return says && typeof event_data.reason === 'string' ? event_data.reason : null;
}

/** Why the target declined or was removed; null if this envelope reports neither. */
export function removalFrom({ event_type, sender_id, event_data }: Envelope, targetId: string): string | null {
  if (sender_id !== HUB_ID || event_data.agent_id !== targetId) return null;
  const says = event_type === 'session.invite.reject' || event_type === 'session.participant.removed';
  return says ? String(event_data.reason) : null;
}
