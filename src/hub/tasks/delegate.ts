/** Implements `delegate`: checks the request, reserves the delegation in the parent session and waits for its outcome. */

import { rateLimitedError } from '../../core/decisions/admit.ts';
import { type Decision, refuse } from '../../core/decisions/decision.ts';
import { mayNotDelegate, openDelegation, roundBudget } from '../../core/decisions/delegation-decisions.ts';
import { WireError } from '../../core/lib/errors.ts';
import { canonicalJson, copyJsonObject, type Json } from '../../core/lib/json.ts';
import { durationMs } from '../../core/lib/time.ts';
import { type Envelope, HUB_ID, hubDraft } from '../../core/records/session/envelope.ts';
import { digestText, type KeyRecord } from '../../core/records/session/keys.ts';
import type { DelegateAnswer, DelegateParams, DelegationOpened } from '../../core/records/work/delegation.ts';
import { openedFrom, settledFrom, settledKey } from '../../core/state/open-delegations.ts';
import type { SessionState } from '../../core/state/state.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import { readEntry } from '../log/read-pages.ts';
import type { Opening } from '../opening/opening.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { type LiveSession, requireAvailable } from '../sessions/live-session.ts';
import { childKey } from './delegation-child.ts';
import type { Delegations } from './delegations.ts';
import { StagedWait } from './wait-graph.ts';

type DelegateNeeds = Pick<
  SharedRooms,
  'ids' | 'limits' | 'store' | 'backlog' | 'bindings' | 'registry' | 'sessions' | 'rates'
> & { readonly opening: Opening; readonly delegations: Delegations };

export class Delegate {
  private readonly needs: DelegateNeeds;

  constructor(needs: DelegateNeeds) {
    this.needs = needs;
  }

  async delegate(by: Binding, params: DelegateParams): Promise<DelegateAnswer> {
    this.needs.backlog.check();
    const digest = requestDigest(params);
    const key = params.idempotency_key === undefined ? null : openedKey(by.agentId, params.idempotency_key);
    const earlier = await this.begunBefore(by, params, key);
    if (earlier !== null) return this.joined(params, sameRequest(earlier, digest, params));
    const opened = await this.plan(by, params, digest);
    const begun = await this.reserve(by, params.session_id, opened, key);
    if (typeof begun === 'number') {
      const first = await this.envelopeAt(params.session_id, begun);
      return this.joined(params, sameRequest(first, digest, params));
    }
    return this.arrive(params, opened);
  }

  /** The answer to a repeat under the same key. */
  private async joined(params: DelegateParams, opened: DelegationOpened): Promise<DelegateAnswer> {
    return { ...(await this.arrive(params, opened)), duplicate: true };
  }

  /** The delegation opened under the key, or null; rejects callers that may not delegate. */
  private async begunBefore(by: Binding, { session_id }: DelegateParams, key: string | null): Promise<Envelope | null> {
    const seq = await this.needs.sessions.use(session_id, (session) =>
      decideUnderKey<number | null>(session, key, (state, earlier) => {
        const found = acceptedUnder(session, key, earlier);
        const refusal = found === null ? mayNotDelegate(state, by.agentId) : null;
        return refusal === null ? { kind: 'nothing', answer: found } : refuse(refusal);
      }),
    );
    return seq === null ? null : this.envelopeAt(session_id, seq);
  }

  /** Runs the checks before the reservation; each has a distinct error. */
  private async plan(by: Binding, params: DelegateParams, request_digest: string): Promise<DelegationOpened> {
    const { limits, ids, opening, delegations } = this.needs;
    const { session_id, prompt, budget, timeout } = params;
    // Rejects a prompt that is too large to post.
    const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxEventBytes };
    copyJsonObject({ text: prompt }, 'params.prompt', bounds);
    const target = await this.targetOf(by, params);
    const { root, depth } = await this.placeOf(session_id);
    await opening.permission.require({
      by: { agent_id: by.agentId, name: by.name },
      others: [target],
      type: 'consulting',
      depth: depth + 1,
      session_id: null,
    });
    await delegations.known;
    return {
      delegation_id: ids.hex32(),
      agent_id: by.agentId,
      target_id: target.agent_id,
      root_session_id: root,
      prompt,
      budget: budget === undefined ? null : roundBudget(budget),
      timeout: timeout === undefined ? null : durationMs(timeout, 'params.timeout') / 1000,
      key: params.idempotency_key ?? null,
      request_digest,
    };
  }

  private async targetOf(by: Binding, { target }: DelegateParams) {
    try {
      const participants = await this.needs.opening.resolve(by, [target]);
      const [other] = participants.filter(({ agent_id }) => agent_id !== by.agentId);
      if (other !== undefined) return other;
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      const message = thrown.message.replace('params.participants.0', 'params.target');
      throw new WireError(thrown.code, message, { ...thrown.details, field: 'params.target' });
    }
    const message = `params.target: expected another agent, got ${by.name} itself`;
    throw new WireError('invalid_create', message, { field: 'params.target', cycle: [by.name, by.name] });
  }

  /** The root of the session tree, and the session's depth in it. */
  private async placeOf(sessionId: string): Promise<{ root: string; depth: number }> {
    let root = sessionId;
    let depth = 0;
    for (;;) {
      const above = (await this.needs.sessions.currentHead(root))?.head.parent_session_id ?? null;
      if (above === null) return { root, depth };
      root = above;
      depth += 1;
    }
  }

  /** Reserves the delegation, or returns the seq of the first one if the key is taken. */
  private async reserve(
    by: Binding,
    sessionId: string,
    opened: DelegationOpened,
    key: string | null,
  ): Promise<DelegationOpened | number> {
    const { bindings, registry, rates, sessions, delegations } = this.needs;
    const toll = { paid: false };
    const wait = new StagedWait(delegations.graph, opened);
    const judge = (session: LiveSession) => (state: SessionState, earlier?: KeyRecord) => {
      wait.drop();
      if (!bindings.mayAct(by)) return refuse(notBoundError(by.name));
      const found = acceptedUnder(session, key, earlier);
      if (found !== null) return { kind: 'nothing', answer: found } as const;
      const decision = requireAvailable(session, openDelegation(state, session.watch, opened, key));
      if (decision.kind !== 'append') return decision;
      const cycle = wait.cycle();
      if (cycle?.undecided != null) return { kind: 'nothing', answer: { decided: cycle.undecided } } as const;
      if (cycle !== null) return refuse(cycleError(cycle.agents.map((agentId) => registry.nameOf(agentId) ?? agentId)));
      const retryAfterMs = rates.retryAfterMs(by.agentId, toll);
      if (retryAfterMs > 0) return refuse(rateLimitedError(retryAfterMs));
      wait.stage();
      return rates.charged(decision, by.agentId, toll);
    };
    for (;;) {
      const asked = sessions.use(sessionId, (session) =>
        decideUnderKey<DelegationOpened | number | Undecided>(session, key, judge(session)),
      );
      const answer = await wait.during(asked);
      if (typeof answer === 'number' || !('decided' in answer)) return answer;
      await answer.decided;
    }
  }

  /** Answers once the delegation is settled, or with `wait: 'opened'` as soon as its child is opened. */
  private async arrive(params: DelegateParams, opened: DelegationOpened): Promise<DelegateAnswer> {
    const { delegations } = this.needs;
    const { session_id, wait = 'reply' } = params;
    const { delegation_id } = opened;
    if (wait === 'opened') {
      await delegations.drive(session_id, delegation_id);
      const child_session_id = await this.childOf(opened);
      const open = {
        delegation_id,
        child_session_id,
        outcome: 'open',
        reason: null,
        reply: null,
        spent: null,
      } as const;
      return (await this.settled(session_id, opened)) ?? open;
    }
    // Start waiting before reading the log: the delegation may be settled in between.
    const settlement = delegations.settlement(delegation_id);
    try {
      const known = await this.settled(session_id, opened);
      if (known !== null) return known;
      await settlement.done;
    } finally {
      settlement.forget();
    }
    const answer = await this.settled(session_id, opened);
    if (answer === null) throw new WireError('internal', `delegation ${delegation_id} was settled without an envelope`);
    return answer;
  }

  private async childOf({ agent_id, delegation_id }: DelegationOpened): Promise<string | null> {
    return (await this.needs.store.createdUnder(agent_id, childKey(delegation_id)))?.session_id ?? null;
  }

  /** The settlement in the log; null if the delegation is open. */
  private async settled(sessionId: string, opened: DelegationOpened): Promise<DelegateAnswer | null> {
    const { delegation_id, target_id } = opened;
    const key = settledKey(delegation_id);
    const seq = await this.needs.sessions.use(sessionId, (session) =>
      decideUnderKey<number | null>(session, key, (_state, earlier) => ({
        kind: 'nothing',
        answer: acceptedUnder(session, key, earlier),
      })),
    );
    if (seq === null) return null;
    const settled = settledFrom(await this.envelopeAt(sessionId, seq));
    const { outcome, reason, spent } = settled;
    // A parent that ends settles without knowing its children.
    const child_session_id = settled.child_session_id ?? (await this.childOf(opened));
    const hasReply = outcome === 'replied' && child_session_id !== null;
    const reply = hasReply ? await this.needs.delegations.children.replyOf(child_session_id, target_id) : null;
    return { delegation_id, child_session_id, outcome, reason, reply, spent };
  }

  private async envelopeAt(sessionId: string, seq: number): Promise<Envelope> {
    return (await readEntry(this.needs.store, sessionId, seq)).envelope;
  }
}

/** Decides with the hub's earlier envelope under the key, even if that is no longer in memory. */
function decideUnderKey<T>(
  session: LiveSession,
  key: string | null,
  decide: (state: SessionState, earlier?: KeyRecord) => Decision<T>,
): Promise<T> {
  if (key === null) return session.decide((state) => decide(state));
  return session.decideKeyed({ ...hubDraft(session.sessionId, 'delegation.opened', {}), idempotency_key: key }, decide);
}

/** The seq of the hub's envelope under the key, or null. */
function acceptedUnder(session: LiveSession, key: string | null, earlier: KeyRecord | undefined): number | null {
  return (session.accepted(HUB_ID, key) ?? earlier)?.seq ?? null;
}

/** The answer depends on a staged wait: decide again when that is durable or dropped. */
interface Undecided {
  readonly decided: Promise<void>;
}

function cycleError(cycle: readonly string[]): WireError {
  const message = `params.target: these delegates would wait for each other in a cycle: ${cycle.join(' → ')}`;
  return new WireError('invalid_create', message, { field: 'params.target', cycle });
}

/** Includes the delegator. The key is hashed because it may already have the maximum length. */
function openedKey(agentId: string, key: string): string {
  return `delegate ${agentId} ${digestText(key)}`;
}

/** Digest of the request without its key and `wait`. */
function requestDigest({ target, prompt, budget, timeout }: DelegateParams): string {
  const asked = JSON.parse(JSON.stringify({ target, prompt, budget, timeout })) as Json;
  return digestText(canonicalJson(asked));
}

/** The delegation opened under the key; rejects a different request. */
function sameRequest(envelope: Envelope, digest: string, { idempotency_key: key }: DelegateParams): DelegationOpened {
  const opened = openedFrom(envelope);
  if (envelope.event_type === 'delegation.opened' && opened.key === key && opened.request_digest === digest)
    return opened;
  const { envelope_id, seq } = envelope;
  const message = `idempotency_key "${key}" was already used for another delegation (seq ${seq}); use a new key`;
  throw new WireError('duplicate', message, { envelope_id, seq });
}
