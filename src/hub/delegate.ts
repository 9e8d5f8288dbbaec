/** The operation `delegate`: checks, a reservation in the parent, and the wait for what comes of it. */

import { type Decision, refuse } from '../core/decisions/advance.ts';
import { mayNotDelegate, openDelegation } from '../core/delegating.ts';
import type { DelegateAnswer, DelegateParams, DelegationOpened } from '../core/records/work/delegation.ts';
import { wholeBudget } from '../core/delegation-budget.ts';
import { openedIn, settledIn, settledKey } from '../core/state/open-delegations.ts';
import { type Envelope, HUB_ID, hubDraft } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import { canonicalJson, copyJsonObject, type Json } from '../core/lib/json.ts';
import { digestText, type KeyRecord } from '../core/records/session/keys.ts';
import type { SessionState } from '../core/state/state.ts';
import { durationMs } from '../core/time.ts';
import type { Binding } from './bindings.ts';
import { notBound } from './caller.ts';
import { currentHead } from './current-head.ts';
import { childKey, replyOf } from './delegation-child.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { checkMayOpen, withKnownNames } from './may-open.ts';
import { ifAvailable } from './operate.ts';
import type { HubParts } from './parts.ts';
import { resolveParticipants } from './opening/resolve-participants.ts';
import { StagedWait } from './staged-wait.ts';

export async function delegate(parts: HubParts, by: Binding, params: DelegateParams): Promise<DelegateAnswer> {
  parts.backlog.check();
  const digest = requestDigest(params);
  const key = params.idempotency_key === undefined ? null : openedKey(by.agentId, params.idempotency_key);
  const earlier = await begunBefore(parts, by, params, key);
  if (earlier !== null) return joined(parts, params, sameRequest(earlier, digest, params));
  const opened = await plan(parts, by, params, digest);
  const begun = await reserve(parts, by, params.session_id, opened, key);
  if (typeof begun === 'number') {
    const first = await entryAt(parts, params.session_id, begun);
    return joined(parts, params, sameRequest(first, digest, params));
  }
  return arrive(parts, params, opened);
}

/** What was begun under the key, if it may be known to who asks. */
async function begunBefore(parts: HubParts, by: Binding, params: DelegateParams, key: string | null) {
  const { session_id } = params;
  const seq = await parts.sessions.use(session_id, (session) =>
    keyed<number | null>(session, key, (state, earlier) => {
      const found = acceptedUnder(session, key, earlier);
      const refusal = found === null ? mayNotDelegate(state, by.agentId) : null;
      return refusal === null ? { kind: 'nothing', answer: found } : refuse(refusal);
    }),
  );
  return seq === null ? null : entryAt(parts, session_id, seq);
}

/** Everything there is to find out before the session is asked; each check has its own error. */
async function plan(
  parts: HubParts,
  by: Binding,
  params: DelegateParams,
  request_digest: string,
): Promise<DelegationOpened> {
  const { session_id, prompt, budget, timeout } = params;
  checkPrompt(parts, prompt);
  const target = await targetOf(parts, by, params);
  const { root, depth } = await placeOf(parts, session_id);
  await checkMayOpen(parts, {
    by: { agent_id: by.agentId, name: by.name },
    others: [target],
    type: 'consulting',
    depth: depth + 1,
    session_id: null,
  });
  await parts.delegations.known;
  return {
    delegation_id: parts.ids.hex32(),
    agent_id: by.agentId,
    target_id: target.agent_id,
    root_session_id: root,
    prompt,
    budget: budget === undefined ? null : wholeBudget(budget),
    timeout: timeout === undefined ? null : durationMs(timeout, 'params.timeout') / 1000,
    key: params.idempotency_key ?? null,
    request_digest,
  };
}

/** Refuses what is too large to be said. */
function checkPrompt({ limits }: HubParts, prompt: string): void {
  copyJsonObject({ text: prompt }, 'params.prompt', { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxEventBytes });
}

async function targetOf(parts: HubParts, by: Binding, { target }: DelegateParams) {
  try {
    const asked = { type: 'consulting', participants: [target] };
    const { participants } = await withKnownNames(parts, by, asked);
    const [other] = resolveParticipants(parts, by, participants).filter(({ agent_id }) => agent_id !== by.agentId);
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
async function placeOf(parts: HubParts, sessionId: string): Promise<{ root: string; depth: number }> {
  let root = sessionId;
  let depth = 0;
  for (;;) {
    const above = (await currentHead(parts, root))?.head.parent_session_id ?? null;
    if (above === null) return { root, depth };
    root = above;
    depth += 1;
  }
}

/** Answers with a seq if the key turns out to be taken. */
async function reserve(
  parts: HubParts,
  by: Binding,
  sessionId: string,
  opened: DelegationOpened,
  key: string | null,
): Promise<DelegationOpened | number> {
  const toll = { paid: false };
  const wait = new StagedWait(parts.delegations.graph, opened);
  const judge = (session: LiveSession) => (state: SessionState, earlier?: KeyRecord) => {
    wait.drop();
    if (!parts.bindings.mayAct(by)) return refuse(notBound(by.name));
    const found = acceptedUnder(session, key, earlier);
    if (found !== null) return { kind: 'nothing', answer: found } as const;
    const decision = ifAvailable(session, openDelegation(state, session.watch, opened, key));
    if (decision.kind !== 'append') return decision;
    const cycle = wait.cycle();
    if (cycle?.undecided != null) return { kind: 'nothing', answer: new Undecided(cycle.undecided) } as const;
    if (cycle !== null) return refuse(inCircle(parts, cycle.agents));
    const retryAfterMs = parts.rates.retryAfterMs(by.agentId, toll);
    if (retryAfterMs > 0) return refuse(tooFast(retryAfterMs));
    wait.stage();
    return parts.rates.charged(decision, by.agentId, toll);
  };
  for (;;) {
    const asked = parts.sessions.use(sessionId, (session) =>
      keyed<DelegationOpened | number | Undecided>(session, key, judge(session)),
    );
    const answer = await wait.during(asked);
    if (!(answer instanceof Undecided)) return answer;
    // Nobody is told of what may yet be lost: it is judged again when that is known.
    await answer.decided;
  }
}

class Undecided {
  readonly decided: Promise<void>;

  constructor(decided: Promise<void>) {
    this.decided = decided;
  }
}

function inCircle({ registry }: HubParts, agents: readonly string[]): WireError {
  const cycle = agents.map((agentId) => registry.nameOf(agentId) ?? agentId);
  const message = `params.target: this would be a cycle of delegates that wait for each other: ${cycle.join(' → ')}`;
  return new WireError('invalid_create', message, { field: 'params.target', cycle });
}

function tooFast(retry_after_ms: number): WireError {
  const message = `you go faster than your rule allows (limits.rate); try again in ${retry_after_ms} ms`;
  return new WireError('rate_limited', message, { retry_after_ms });
}

/** Asked for by an earlier request under the same key. */
async function joined(parts: HubParts, params: DelegateParams, opened: DelegationOpened): Promise<DelegateAnswer> {
  return { ...(await arrive(parts, params, opened)), duplicate: true };
}

/** Answers when it is settled, or as soon as it is under way. */
async function arrive(parts: HubParts, params: DelegateParams, opened: DelegationOpened): Promise<DelegateAnswer> {
  const { session_id, wait = 'reply' } = params;
  const { delegation_id } = opened;
  if (wait === 'opened') {
    await parts.delegations.drive(session_id, delegation_id);
    return (await settledAnswer(parts, session_id, opened)) ?? openAnswer(parts, opened);
  }
  const settlement = parts.delegations.settlement(delegation_id);
  try {
    // Waited for before it is looked at: it may be settled in between.
    const known = await settledAnswer(parts, session_id, opened);
    if (known !== null) return known;
    await settlement.done;
  } finally {
    settlement.forget();
  }
  const answer = await settledAnswer(parts, session_id, opened);
  if (answer === null) throw new WireError('internal', `delegation ${delegation_id} was settled without a word`);
  return answer;
}

async function openAnswer(parts: HubParts, opened: DelegationOpened): Promise<DelegateAnswer> {
  const { delegation_id } = opened;
  const child_session_id = await childOf(parts, opened);
  return { delegation_id, child_session_id, outcome: 'open', reason: null, reply: null, spent: null };
}

async function childOf({ store }: HubParts, { agent_id, delegation_id }: DelegationOpened): Promise<string | null> {
  return (await store.createdUnder(agent_id, childKey(delegation_id)))?.session_id ?? null;
}

/** What the log says of it; null = it is not settled. */
async function settledAnswer(
  parts: HubParts,
  sessionId: string,
  opened: DelegationOpened,
): Promise<DelegateAnswer | null> {
  const { delegation_id, target_id } = opened;
  const key = settledKey(delegation_id);
  const seq = await parts.sessions.use(sessionId, (session) =>
    keyed<number | null>(session, key, (_state, earlier) => ({
      kind: 'nothing',
      answer: acceptedUnder(session, key, earlier),
    })),
  );
  if (seq === null) return null;
  const settled = settledIn(await entryAt(parts, sessionId, seq));
  const { outcome, reason, spent } = settled;
  // A parent that ends settles without knowing its children.
  const child_session_id = settled.child_session_id ?? (await childOf(parts, opened));
  const hasReply = outcome === 'replied' && child_session_id !== null;
  const reply = hasReply ? await replyOf(parts, child_session_id, target_id) : null;
  return { delegation_id, child_session_id, outcome, reason, reply, spent };
}

/** Judged with what the hub itself said under the key, also if that is no longer in memory. */
function keyed<T>(
  session: LiveSession,
  key: string | null,
  decide: (state: SessionState, earlier?: KeyRecord) => Decision<T>,
): Promise<T> {
  if (key === null) return session.decide((state) => decide(state));
  return session.decideKeyed({ ...hubDraft(session.sessionId, 'delegation.opened', {}), idempotency_key: key }, decide);
}

function acceptedUnder(session: LiveSession, key: string | null, earlier: KeyRecord | undefined): number | null {
  return (session.accepted(HUB_ID, key) ?? earlier)?.seq ?? null;
}

/** By whom it was asked is part of it; the key itself may be too long for a second name. */
function openedKey(agentId: string, key: string): string {
  return `delegate ${agentId} ${digestText(key)}`;
}

async function entryAt({ store }: HubParts, sessionId: string, seq: number): Promise<Envelope> {
  const [entry] = await store.read(sessionId, { from_seq: seq, to_seq: seq, limit: 1 });
  if (entry === undefined) throw new WireError('internal', `log ${sessionId} has no entry ${seq}`);
  return entry.envelope;
}

/** What was asked, apart from the key and how to wait. */
function requestDigest({ target, prompt, budget, timeout }: DelegateParams): string {
  const asked = JSON.parse(JSON.stringify({ target, prompt, budget, timeout })) as Json;
  return digestText(canonicalJson(asked));
}

/** The delegation that was begun under the key, if the same was asked for. */
function sameRequest(envelope: Envelope, digest: string, { idempotency_key: key }: DelegateParams): DelegationOpened {
  const opened = openedIn(envelope);
  if (envelope.event_type === 'delegation.opened' && opened.key === key && opened.request_digest === digest)
    return opened;
  const { envelope_id, seq } = envelope;
  const message = `idempotency_key "${key}" was used to delegate something else (seq ${seq}); take a new key`;
  throw new WireError('duplicate', message, { envelope_id, seq });
}
