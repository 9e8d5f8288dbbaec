/**
 * Opening: creates sessions and adds participants to them. Resolves every name, gives every check its own error, and ends in one
 * append that leaves nothing behind if it fails. Owns the idempotency keys of creates under way and the limits on how many sessions
 * an identity may be in. Start reading at `create`.
 */

import { type AddAnswer, addParticipant } from '../../core/decisions/add-participant.ts';
import { type CreateFacts, createDrafts } from '../../core/decisions/create.ts';
import type { Decision } from '../../core/decisions/decision.ts';
import { asError, WireError } from '../../core/lib/errors.ts';
import { durationMs, msFromIso } from '../../core/lib/time.ts';
import type { Params, Result } from '../../core/protocol/operations/operations.ts';
import type { Rule } from '../../core/records/access/rule.ts';
import { sessionTtlMs } from '../../core/records/access/rule-schema.ts';
import type { CreateParams, ParticipantRef } from '../../core/records/session/create-params.ts';
import { keyName } from '../../core/records/session/keys.ts';
import { isTerminal, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { AskArbiter } from '../access/ask-arbiter.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Presence } from '../bindings/presence.ts';
import type { Adapters, RegisteredAdapter } from '../extensions/adapters.ts';
import type { Expectations } from '../extensions/expectations.ts';
import { bindAdapter } from '../extensions/resolve-adapter.ts';
import type { RuleParts } from '../extensions/rule-parts.ts';
import { type Views, viewVersions } from '../extensions/views.ts';
import { storeFailedError } from '../log/backlog.ts';
import type { Ground } from '../log/ground.ts';
import type { Posting } from '../posting/post.ts';
import type { Registry } from '../registry/registry.ts';
import { type LiveSession, requireAvailable } from '../sessions/live-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { checkLabels, createDigest, expectationsFrom, knobsFrom, labelsFrom, timeoutMs } from './create-params.ts';
import { OpenPermission } from './open-permission.ts';
import { expectationWarnings, withExpectations } from './plan-expectations.ts';
import { checkCreator, resolveParticipants, type SessionCreator } from './resolve-participants.ts';

export interface OpeningNeeds extends Ground {
  readonly adapters: Adapters;
  readonly ruleParts: RuleParts;
  readonly views: Views;
  readonly expectations: Expectations;
  readonly bindings: Pick<Bindings, 'mayAct'>;
  readonly presence: Presence;
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly arbiter: AskArbiter;
  readonly posting: Pick<Posting, 'decideForCaller'>;
}

type Created = Result<'create_session'>;

export interface CreatedSession {
  readonly session_id: string;
  /** It was created by an earlier request under the same key. */
  readonly repeated: boolean;
}

export class Opening {
  readonly permission: OpenPermission;
  private readonly needs: OpeningNeeds;
  private readonly keys = new CreateKeys();

  constructor(needs: OpeningNeeds) {
    this.needs = needs;
    this.permission = new OpenPermission(needs.store, needs.registry, needs.arbiter);
  }

  async create(creator: SessionCreator, params: CreateParams): Promise<Created> {
    this.needs.backlog.check();
    checkLabels(params);
    const { session_id, repeated } = await this.createAs(creator, params);
    const session = await this.arrive(session_id, params);
    return { session, warnings: await this.warningsOf(session), ...(repeated ? { duplicate: true } : {}) };
  }

  /** Would it be created, as far as that can be said before it is? How many sessions each may be in is seen when it is opened. */
  async check(creator: SessionCreator, params: CreateParams): Promise<void> {
    checkLabels(params);
    const participants = await this.permission.resolveUnknownNames(creator, params.participants);
    const facts = this.facts(creator, { ...params, participants }, createDigest(this.needs.limits, params), null);
    createDrafts(facts);
    await this.permission.require(openingOf(facts, creator));
  }

  /** Answers when the session is durable. */
  createAs(creator: SessionCreator, params: CreateParams): Promise<CreatedSession> {
    const digest = createDigest(this.needs.limits, params);
    const key = params.idempotency_key;
    return key === undefined ? this.createNew(creator, params, digest) : this.createOnce(creator, params, digest, key);
  }

  /** Adds a participant: judged before the arbiter is asked and again after, since the arbiter may take its time. */
  add(by: Binding, { session_id, participant, role }: Params<'add_participant'>): Promise<AddAnswer> {
    const { registry, limits, posting, sessions } = this.needs;
    // Looked up when it is judged: it may be another moment, and who is not in the session learns nothing of names.
    const judge = (state: SessionState, agentId: string, session: LiveSession): Decision<AddAnswer> => {
      const newcomer = { asked: participant, agent: registry.invitable(participant), role };
      return requireAvailable(session, addParticipant(state, agentId, newcomer, limits));
    };
    const add = (): Promise<AddAnswer> => posting.decideForCaller(by, session_id, judge);
    return sessions.use(session_id, (session) => {
      const { durable } = session;
      const agent = registry.invitable(participant);
      // What is refused anyway, or changes nothing, needs nobody's leave.
      if (agent === null || durable === null || judge(durable, by.agentId, session).kind !== 'append') return add();
      const { manifest, depth } = durable.metadata;
      const opening = { by: namedOf(by), others: [agent], type: manifest.type, depth, session_id };
      return this.permission.run(opening, add);
    });
  }

  /** The identities a request names, with the creator first where it is not listed. */
  async resolve(creator: SessionCreator, refs: readonly ParticipantRef[]): Promise<CreateFacts['participants']> {
    return resolveParticipants(this.needs, creator, await this.permission.resolveUnknownNames(creator, refs));
  }

  /** The same request under the same key is the same session, also while it is still being written. */
  private async createOnce(
    creator: SessionCreator,
    params: CreateParams,
    digest: string,
    key: string,
  ): Promise<CreatedSession> {
    const { keys } = this;
    for (let first = keys.find(creator.agentId, key); first !== undefined; ) {
      await first.decided;
      const { failed } = this.needs.backlog;
      if (failed !== null) throw storeFailedError(failed, first.digest === digest ? 'unknown' : 'refused');
      first = keys.find(creator.agentId, key);
    }
    const release = keys.claim(creator.agentId, key, digest);
    try {
      const known = await this.createdUnder(creator.agentId, key);
      if (known === null) return await this.createNew(creator, params, digest);
      if (known.request_digest === digest) return { session_id: known.session_id, repeated: true };
      const message = `idempotency_key "${key}" was used to create another session; take a new key`;
      throw new WireError('duplicate', message, { session_id: known.session_id });
    } finally {
      release();
    }
  }

  /** The session created under the key not too long ago. */
  private async createdUnder(creatorId: string, key: string): Promise<Head | null> {
    const { store, limits, clock } = this.needs;
    const head = await store.createdUnder(creatorId, key);
    return head !== null && msFromIso(head.created_at) + limits.createKeyMs > clock.now() ? head : null;
  }

  private async createNew(creator: SessionCreator, params: CreateParams, digest: string): Promise<CreatedSession> {
    const parent = await this.parentFacts(creator, params);
    const participants = await this.permission.resolveUnknownNames(creator, params.participants);
    const facts = this.facts(creator, { ...params, participants }, digest, parent);
    await this.permission.run(openingOf(facts, creator), () => this.begin(creator, facts));
    return { session_id: facts.session_id, repeated: false };
  }

  /** One synchronous step from the last check to the staged unit; what fails leaves nothing behind. */
  private async begin(creator: SessionCreator, facts: CreateFacts): Promise<void> {
    const { bindings, registry, sessions } = this.needs;
    checkCreator(bindings, registry, creator);
    const { session_id, adapter, watch = null } = facts;
    const session = sessions.makeNew(session_id, adapter, watch);
    sessions.add(session);
    try {
      await session.create(createDrafts(facts));
    } catch (thrown) {
      sessions.drop(session_id);
      throw thrown;
    }
  }

  /** Answers immediately, or when the session is active; one that ends before that is an error that says why. */
  private async arrive(sessionId: string, params: CreateParams): Promise<SessionMetadata> {
    const atOnce = params.wait === 'created';
    const session = await this.needs.sessions.whenIn(sessionId, ({ state }) => atOnce || state !== 'INVITED');
    if (atOnce || session.opened_at !== null) return session;
    const { state, close_reason, rejected_by } = session;
    const details = { session_id: sessionId, state, close_reason, rejected_by };
    const message = `session ${sessionId} ended before it became active: ${close_reason}`;
    throw new WireError('session_closed', message, details);
  }

  /** What the adapter and the expectations say of a session that is created: nothing can refuse it any more, also no defect. */
  private warningsOf(session: SessionMetadata): Promise<readonly string[]> {
    const { sessions, log, expectations } = this.needs;
    return sessions.use(session.session_id, ({ adapter }) => {
      const ofEntries = expectationWarnings(expectations, session, adapter?.manifest.expectations ?? []);
      try {
        return [...(adapter?.warnings(session) ?? []).map(String), ...ofEntries];
      } catch (thrown) {
        log.error('warnings failed', { session_id: session.session_id, error: asError(thrown).message });
        return ofEntries;
      }
    });
  }

  private facts(
    creator: SessionCreator,
    params: CreateParams,
    requestDigest: string,
    parent: CreateFacts['parent'],
  ): CreateFacts {
    const { limits, clock, ids, registry, adapters, views } = this.needs;
    const rule = registry.ruleOf(creator.agentId);
    const registered = adapters.choose(params.type, params.version);
    const facts: CreateFacts = {
      session_id: ids.hex32(),
      adapter: registered.adapter,
      creator_id: creator.agentId,
      participants: resolveParticipants(this.needs, creator, params.participants),
      knobs: knobsFrom(limits, registered, params),
      labels: labelsFrom(limits, params),
      expectations: expectationsFrom(limits, params),
      requiredAcks: params.required_acks ?? null,
      ttlMs: params.ttl === undefined ? ttlOf(registered, rule) : durationMs(params.ttl, 'params.ttl'),
      inviteTimeoutMs: timeoutMs(params.invite_timeout, 'params.invite_timeout'),
      drainTimeoutMs: timeoutMs(params.drain_timeout, 'params.drain_timeout') ?? limits.drainTimeoutMs,
      parent,
      idempotencyKey: params.idempotency_key ?? null,
      requestDigest,
      viewVersions: (adapter, metadata) => viewVersions(views, adapter, metadata),
      nowMs: clock.now(),
      limits,
    };
    return withExpectations(this.needs.expectations, bindAdapter(this.needs, registered, facts));
  }

  private async parentFacts(creator: SessionCreator, params: CreateParams): Promise<CreateFacts['parent']> {
    const parentId = params.parent_session_id;
    if (parentId === undefined) return null;
    const state = await this.needs.sessions.use(parentId, (session) => session.durable);
    const member = state === null ? undefined : participantOf(state.metadata, creator.agentId);
    if (state === null || member === undefined) throw new WireError('not_found', `no session ${parentId}`);
    if (isTerminal(state.metadata.state) || state.metadata.state === 'CLOSING' || member.status !== 'active') {
      const message = `params.parent_session_id: you must be active in a live session; ${parentId} is ${state.metadata.state} and you are ${member.status}`;
      throw new WireError('invalid_create', message, { field: 'params.parent_session_id' });
    }
    return { session_id: parentId, depth: state.metadata.depth };
  }
}

function openingOf({ participants, adapter, parent }: CreateFacts, creator: SessionCreator) {
  return {
    by: namedOf(creator),
    others: participants.filter(({ agent_id }) => agent_id !== creator.agentId),
    type: adapter.manifest.type,
    depth: parent === null ? 0 : parent.depth + 1,
    session_id: null,
  };
}

function namedOf({ agentId, name }: SessionCreator) {
  return { agent_id: agentId, name };
}

/** What the type says of its sessions comes before what their creator's rule says in general. */
function ttlOf({ adapter }: RegisteredAdapter, rule: Rule): number {
  const { ttl_seconds } = adapter.manifest;
  return ttl_seconds === undefined ? sessionTtlMs(rule) : ttl_seconds * 1000;
}

interface PendingCreate {
  readonly digest: string;
  /** It has been decided, one way or the other. */
  readonly decided: Promise<void>;
}

class CreateKeys {
  private readonly underWay = new Map<string, PendingCreate>();

  find(creatorId: string, key: string): PendingCreate | undefined {
    return this.underWay.get(keyName(creatorId, key));
  }

  /** The key is this request's until the result is called; nobody else may have it. */
  claim(creatorId: string, key: string, digest: string): () => void {
    const name = keyName(creatorId, key);
    let decide = (): void => {};
    const decided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    this.underWay.set(name, { digest, decided });
    return () => {
      this.underWay.delete(name);
      decide();
    };
  }
}
