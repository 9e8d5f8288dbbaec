/**
 * Opening: creates sessions and adds participants to them. Each check has its own error, and a create that fails leaves nothing
 * behind. Owns the idempotency keys of pending creates and the limits on sessions per identity. Start reading at `create`.
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
import type { Binding } from '../bindings/binding.ts';
import type { RegisteredAdapter } from '../extensions/adapters.ts';
import { bindAdapter, type Extensions } from '../extensions/resolve-adapter.ts';
import { viewVersions } from '../extensions/views.ts';
import { storeFailedError } from '../log/backlog.ts';
import type { Ground } from '../log/ground.ts';
import type { Posting } from '../posting/post.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { type LiveSession, requireAvailable } from '../sessions/live-session.ts';
import { checkLabels, createDigest, expectationsFrom, knobsFrom, labelsFrom, timeoutMs } from './create-params.ts';
import { OpenPermission } from './open-permission.ts';
import { expectationWarnings, withExpectations } from './plan-expectations.ts';
import { checkCreator, resolveParticipants, type SessionCreator } from './resolve-participants.ts';

type OpeningNeeds = Ground &
  Extensions &
  Pick<SharedRooms, 'bindings' | 'presence' | 'registry' | 'sessions' | 'arbiter'> & { readonly posting: Posting };

type Created = Result<'create_session'>;

export interface CreatedSession {
  readonly session_id: string;
  /** True if an earlier request under the same key created the session. */
  readonly repeated: boolean;
}

export class Opening {
  readonly permission: OpenPermission;
  private readonly needs: OpeningNeeds;
  /** Pending creates by creator and idempotency key. */
  private readonly creating = new Map<string, { readonly digest: string; readonly done: Promise<void> }>();

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

  /** Rejects as `create` would, except for the limit on sessions per identity, which only opening can check. */
  async check(creator: SessionCreator, params: CreateParams): Promise<void> {
    checkLabels(params);
    const participants = await this.permission.resolveUnknownNames(creator, params.participants);
    const facts = this.facts(creator, { ...params, participants }, createDigest(this.needs.limits, params), null);
    createDrafts(facts);
    await this.permission.require(openingOf(facts, creator));
  }

  /** Creates a session; resolves when it is durable. */
  createAs(creator: SessionCreator, params: CreateParams): Promise<CreatedSession> {
    const digest = createDigest(this.needs.limits, params);
    const key = params.idempotency_key;
    return key === undefined ? this.createNew(creator, params, digest) : this.createOnce(creator, params, digest, key);
  }

  /** Adds a participant. Decides before the arbiter is asked and again after, because the arbiter may be asynchronous. */
  add(by: Binding, { session_id, participant, role }: Params<'add_participant'>): Promise<AddAnswer> {
    const { registry, limits, posting, sessions } = this.needs;
    // Look the name up only while deciding, so that non-participants cannot probe names.
    const judge = (state: SessionState, session: LiveSession): Decision<AddAnswer> => {
      const newcomer = { asked: participant, agent: registry.invitable(participant), role };
      return requireAvailable(session, addParticipant(state, by.agentId, newcomer, limits));
    };
    const add = (): Promise<AddAnswer> => posting.decideForCaller(by, session_id, judge);
    return sessions.use(session_id, (session) => {
      const { durable } = session;
      const agent = registry.invitable(participant);
      // A request that is rejected anyway, or changes nothing, needs no permission.
      if (agent === null || durable === null || judge(durable, session).kind !== 'append') return add();
      const { manifest, depth } = durable.metadata;
      const opening = { by: namedOf(by), others: [agent], type: manifest.type, depth, session_id };
      return this.permission.run(opening, add);
    });
  }

  /** Resolves the identities a request names; the creator comes first if it is not listed. */
  async resolve(creator: SessionCreator, refs: readonly ParticipantRef[]): Promise<CreateFacts['participants']> {
    return resolveParticipants(this.needs, creator, await this.permission.resolveUnknownNames(creator, refs));
  }

  /** Returns the same session for the same request under the same key, even while the first request is still pending. */
  private async createOnce(
    creator: SessionCreator,
    params: CreateParams,
    digest: string,
    key: string,
  ): Promise<CreatedSession> {
    const { creating } = this;
    const name = keyName(creator.agentId, key);
    for (let first = creating.get(name); first !== undefined; first = creating.get(name)) {
      await first.done;
      const { failed } = this.needs.backlog;
      if (failed !== null) throw storeFailedError(failed, first.digest === digest ? 'unknown' : 'refused');
    }
    const work = this.createUnder(creator, params, digest, key);
    const release = (): void => void creating.delete(name);
    creating.set(name, { digest, done: work.then(release, release) });
    return work;
  }

  private async createUnder(
    creator: SessionCreator,
    params: CreateParams,
    digest: string,
    key: string,
  ): Promise<CreatedSession> {
    const known = await this.createdUnder(creator.agentId, key);
    if (known === null) return this.createNew(creator, params, digest);
    if (known.request_digest === digest) return { session_id: known.session_id, repeated: true };
    const message = `idempotency_key "${key}" was already used to create another session; use a new key`;
    throw new WireError('duplicate', message, { session_id: known.session_id });
  }

  /** The head of the session created under the key within the last `createKeyMs`, or null. */
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

  /** Runs from the last check to the staged unit in one synchronous step. A failure leaves nothing behind. */
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

  /** Returns immediately with `wait: "created"`, else once the session is active; rejects if it ends before that. */
  private async arrive(sessionId: string, params: CreateParams): Promise<SessionMetadata> {
    const isCreated = params.wait === 'created';
    const session = await this.needs.sessions.whenIn(sessionId, ({ state }) => isCreated || state !== 'INVITED');
    if (isCreated || session.opened_at !== null) return session;
    const { state, close_reason, rejected_by } = session;
    const details = { session_id: sessionId, state, close_reason, rejected_by };
    const message = `session ${sessionId} ended before it became active: ${close_reason}`;
    throw new WireError('session_closed', message, details);
  }

  /** Warnings of the adapter and about the expectations. Adapter defects do not reject: the session exists. */
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

/** The session type's ttl wins over the access rule of the creator. */
function ttlOf({ adapter }: RegisteredAdapter, rule: Rule): number {
  const { ttl_seconds } = adapter.manifest;
  return ttl_seconds === undefined ? sessionTtlMs(rule) : ttl_seconds * 1000;
}
