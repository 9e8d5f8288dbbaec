/** The operation `delegate`: checks the request, reserves the delegation in the parent session, and waits for its outcome. */

import { refuse } from '../../core/decisions/decision.ts';
import { mayNotDelegate, openDelegation, roundBudget } from '../../core/decisions/delegation-decisions.ts';
import { WireError } from '../../core/lib/errors.ts';
import { canonicalJson, copyJsonObject, type Json } from '../../core/lib/json.ts';
import { durationMs } from '../../core/lib/time.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { digestText, type KeyRecord } from '../../core/records/session/keys.ts';
import type { DelegateAnswer, DelegateParams, DelegationOpened } from '../../core/records/work/delegation.ts';
import { openedFrom } from '../../core/state/open-delegations.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Rates } from '../access/rates.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Ground } from '../log/ground.ts';
import { readEntry } from '../log/read-pages.ts';
import type { Opening } from '../opening/opening.ts';
import type { Registry } from '../registry/registry.ts';
import { type LiveSession, requireAvailable } from '../sessions/live-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { acceptedUnder, DelegationAnswers, decideUnderKey } from './delegation-answers.ts';
import type { Delegations } from './delegations.ts';
import { StagedWait } from './wait-graph.ts';

export interface DelegateNeeds extends Pick<Ground, 'ids' | 'limits' | 'store' | 'backlog'> {
  readonly bindings: Pick<Bindings, 'mayAct'>;
  readonly registry: Pick<Registry, 'nameOf'>;
  readonly sessions: Sessions;
  readonly rates: Rates;
  readonly opening: Pick<Opening, 'permission' | 'resolve'>;
  readonly delegations: Delegations;
}

export class Delegate {
  private readonly needs: DelegateNeeds;
  private readonly answers: DelegationAnswers;

  constructor(needs: DelegateNeeds) {
    this.needs = needs;
    this.answers = new DelegationAnswers(needs.store, needs.sessions, needs.delegations);
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
    return this.answers.arrive(params, opened);
  }

  /** Asked for by an earlier request under the same key. */
  private async joined(params: DelegateParams, opened: DelegationOpened): Promise<DelegateAnswer> {
    return { ...(await this.answers.arrive(params, opened)), duplicate: true };
  }

  /** What was begun under the key, if it may be known to who asks. */
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

  /** Everything there is to find out before the session is asked; each check has its own error. */
  private async plan(by: Binding, params: DelegateParams, request_digest: string): Promise<DelegationOpened> {
    const { limits, ids, opening, delegations } = this.needs;
    const { session_id, prompt, budget, timeout } = params;
    // Refuses what is too large to be posted.
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
    const message = `params.target: expected somebody else, got ${by.name} itself; nobody delegates to itself`;
    throw new WireError('invalid_create', message, { field: 'params.target', cycle: [by.name, by.name] });
  }

  /** The top of the tree, and how deep in it the session is. */
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

  /** Answers with a seq if the key turns out to be taken. */
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
      if (cycle?.undecided != null) return { kind: 'nothing', answer: new Undecided(cycle.undecided) } as const;
      if (cycle !== null) return refuse(cycleError(cycle.agents.map((agentId) => registry.nameOf(agentId) ?? agentId)));
      const retryAfterMs = rates.retryAfterMs(by.agentId, toll);
      if (retryAfterMs > 0) return refuse(tooFast(retryAfterMs));
      wait.stage();
      return rates.charged(decision, by.agentId, toll);
    };
    for (;;) {
      const asked = sessions.use(sessionId, (session) =>
        decideUnderKey<DelegationOpened | number | Undecided>(session, key, judge(session)),
      );
      const answer = await wait.during(asked);
      if (!(answer instanceof Undecided)) return answer;
      // Nobody is told of what may yet be lost: it is judged again when that is known.
      await answer.decided;
    }
  }

  private async envelopeAt(sessionId: string, seq: number): Promise<Envelope> {
    return (await readEntry(this.needs.store, sessionId, seq)).envelope;
  }
}

class Undecided {
  readonly decided: Promise<void>;

  constructor(decided: Promise<void>) {
    this.decided = decided;
  }
}

function cycleError(cycle: readonly string[]): WireError {
  const message = `params.target: this would be a cycle of delegates that wait for each other: ${cycle.join(' → ')}`;
  return new WireError('invalid_create', message, { field: 'params.target', cycle });
}

function tooFast(retry_after_ms: number): WireError {
  const message = `you go faster than your rule allows (limits.rate); try again in ${retry_after_ms} ms`;
  return new WireError('rate_limited', message, { retry_after_ms });
}

/** By whom it was asked is part of it; the key itself may be too long for a second name. */
function openedKey(agentId: string, key: string): string {
  return `delegate ${agentId} ${digestText(key)}`;
}

/** What was asked, apart from the key and how to wait. */
function requestDigest({ target, prompt, budget, timeout }: DelegateParams): string {
  const asked = JSON.parse(JSON.stringify({ target, prompt, budget, timeout })) as Json;
  return digestText(canonicalJson(asked));
}

/** The delegation that was begun under the key, if the same was asked for. */
function sameRequest(envelope: Envelope, digest: string, { idempotency_key: key }: DelegateParams): DelegationOpened {
  const opened = openedFrom(envelope);
  if (envelope.event_type === 'delegation.opened' && opened.key === key && opened.request_digest === digest)
    return opened;
  const { envelope_id, seq } = envelope;
  const message = `idempotency_key "${key}" was used to delegate something else (seq ${seq}); take a new key`;
  throw new WireError('duplicate', message, { envelope_id, seq });
}
