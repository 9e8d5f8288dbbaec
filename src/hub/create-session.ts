/** Creating a session: every name resolved, every check with its own error, one append, nothing left behind on failure. */

import { type CreateFacts, createDrafts } from '../core/decisions/create.ts';
import { DELEGATION_LABEL } from '../core/records/work/delegation.ts';
import { asError, WireError } from '../core/lib/errors.ts';
import type { Head } from '../core/state/fold-head.ts';
import { canonicalJson, copyJson, copyJsonObject, type Json, type JsonObject, utf8Bytes } from '../core/lib/json.ts';
import { digestText } from '../core/records/session/keys.ts';
import type { CreateParams, Result } from '../core/operations.ts';
import { type Rule, sessionTtlMs } from '../core/records/access/rule.ts';
import { isTerminal, participantOf, type SessionMetadata } from '../core/records/session/session.ts';
import { durationMs, msFromIso } from '../core/time.ts';
import type { RegisteredAdapter } from './extensions/adapters.ts';
import { storeFailed } from './log/backlog.ts';
import { viewVersions } from './reading/views/resolve-view.ts';
import { expectationWarnings } from './expectation-warnings.ts';
import { checkMayOpen, ifMayOpen, withKnownNames } from './may-open.ts';
import { checkOpener, type Opener } from './opener.ts';
import type { HubParts } from './parts.ts';
import { withExpectations } from './opening/plan-expectations.ts';
import { resolveParticipants } from './opening/resolve-participants.ts';
import { tailored } from './extensions/resolve-adapter.ts';

type Created = Result<'create_session'>;

export async function createSession(parts: HubParts, creator: Opener, params: CreateParams): Promise<Created> {
  parts.backlog.check();
  checkLabels(params);
  const { session_id, repeated } = await createAs(parts, creator, params);
  const session = await arrive(parts, session_id, params);
  return { session, warnings: await warningsOf(parts, session), ...(repeated ? { duplicate: true } : {}) };
}

/** Would it be created, as far as that can be said before it is? How many sessions each may be in is seen when it is opened. */
export async function checkCreate(parts: HubParts, creator: Opener, params: CreateParams): Promise<void> {
  checkLabels(params);
  const known = await withKnownNames(parts, creator, params);
  const facts = createFacts(parts, creator, known, requestDigest(params, parts), null);
  createDrafts(facts);
  await checkMayOpen(parts, openingOf(facts, creator));
}

/** What the adapter, and those who know expectations, think of a session that is created: nobody can refuse it any more, also not by a defect. */
function warningsOf(parts: HubParts, session: SessionMetadata): Promise<readonly string[]> {
  const { sessions, log } = parts;
  return sessions.use(session.session_id, ({ adapter }) => {
    const ofEntries = expectationWarnings(parts, session, adapter?.manifest.expectations ?? []);
    try {
      return [...(adapter?.warnings(session) ?? []).map(String), ...ofEntries];
    } catch (thrown) {
      log.error('warnings failed', { session_id: session.session_id, error: asError(thrown).message });
      return ofEntries;
    }
  });
}

function checkLabels({ labels = {} }: CreateParams): void {
  if (!Object.hasOwn(labels, DELEGATION_LABEL)) return;
  const field = `params.labels.${DELEGATION_LABEL}`;
  const message = `${field}: expected another label; this one is the hub's, for what was delegated`;
  throw new WireError('invalid_create', message, { field });
}

/** Answers when the session is durable. */
export function createAs(parts: HubParts, creator: Opener, params: CreateParams): Promise<Begun> {
  const digest = requestDigest(params, parts);
  const key = params.idempotency_key;
  return key === undefined
    ? createNew(parts, creator, params, digest)
    : createOnce(parts, creator, params, digest, key);
}

export interface Begun {
  readonly session_id: string;
  /** It was created by an earlier request under the same key. */
  readonly repeated: boolean;
}

/** The same request under the same key is the same session, also while it is still being written. */
async function createOnce(
  parts: HubParts,
  creator: Opener,
  params: CreateParams,
  digest: string,
  key: string,
): Promise<Begun> {
  for (let first = parts.createKeys.find(creator.agentId, key); first !== undefined; ) {
    await first.decided;
    const { failed } = parts.backlog;
    if (failed !== null) throw storeFailed(failed, first.digest === digest ? 'unknown' : 'refused');
    first = parts.createKeys.find(creator.agentId, key);
  }
  const release = parts.createKeys.claim(creator.agentId, key, digest);
  try {
    const known = await createdUnder(parts, creator.agentId, key);
    if (known === null) return await createNew(parts, creator, params, digest);
    if (known.request_digest === digest) return { session_id: known.session_id, repeated: true };
    const message = `idempotency_key "${key}" was used to create another session; take a new key`;
    throw new WireError('duplicate', message, { session_id: known.session_id });
  } finally {
    release();
  }
}

/** The session created under the key not too long ago. */
async function createdUnder({ store, clock, limits }: HubParts, creatorId: string, key: string): Promise<Head | null> {
  const head = await store.createdUnder(creatorId, key);
  return head !== null && msFromIso(head.created_at) + limits.createKeyMs > clock.now() ? head : null;
}

async function createNew(parts: HubParts, creator: Opener, params: CreateParams, digest: string): Promise<Begun> {
  const parent = await parentFacts(parts, creator, params);
  const known = await withKnownNames(parts, creator, params);
  const facts = createFacts(parts, creator, known, digest, parent);
  await ifMayOpen(parts, openingOf(facts, creator), () => begin(parts, creator, facts));
  return { session_id: facts.session_id, repeated: false };
}

function openingOf({ participants, adapter, parent }: CreateFacts, { agentId, name }: Opener) {
  return {
    by: { agent_id: agentId, name },
    others: participants.filter(({ agent_id }) => agent_id !== agentId),
    type: adapter.manifest.type,
    depth: parent === null ? 0 : parent.depth + 1,
    session_id: null,
  };
}

/** One synchronous step from the last check to the staged unit; what fails leaves nothing behind. */
async function begin(parts: HubParts, creator: Opener, facts: CreateFacts): Promise<void> {
  checkOpener(parts, creator);
  const { session_id, adapter, watch = null } = facts;
  const session = parts.sessions.makeNew(session_id, adapter, watch);
  parts.sessions.add(session);
  try {
    await session.create(createDrafts(facts));
  } catch (thrown) {
    parts.sessions.drop(session_id);
    throw thrown;
  }
}

/** Answers at once, or when the session is active; one that ends before that is an error that says why. */
async function arrive(parts: HubParts, sessionId: string, params: CreateParams): Promise<SessionMetadata> {
  const atOnce = params.wait === 'created';
  const session = await parts.sessions.whenIn(sessionId, ({ state }) => atOnce || state !== 'INVITED');
  if (atOnce) return session;
  if (session.opened_at !== null) return session;
  const { state, close_reason, rejected_by } = session;
  const details = { session_id: sessionId, state, close_reason, rejected_by };
  throw new WireError('session_closed', `session ${sessionId} ended before it became active: ${close_reason}`, details);
}

function createFacts(
  parts: HubParts,
  creator: Opener,
  params: CreateParams,
  requestDigest: string,
  parent: CreateFacts['parent'],
): CreateFacts {
  const { limits, clock } = parts;
  const rule = parts.registry.ruleOf(creator.agentId);
  const registered = parts.adapters.choose(params.type, params.version);
  const facts: CreateFacts = {
    session_id: parts.ids.hex32(),
    adapter: registered.adapter,
    creator_id: creator.agentId,
    participants: resolveParticipants(parts, creator, params.participants),
    knobs: knobsOf(parts, registered, params),
    labels: labelsOf(parts, params),
    expectations: expectationsOf(parts, params),
    requiredAcks: params.required_acks ?? null,
    ttlMs: params.ttl === undefined ? ttlOf(registered, rule) : durationMs(params.ttl, 'params.ttl'),
    inviteTimeoutMs: timeoutMs(params.invite_timeout, 'params.invite_timeout'),
    drainTimeoutMs: timeoutMs(params.drain_timeout, 'params.drain_timeout') ?? limits.drainTimeoutMs,
    parent,
    idempotencyKey: params.idempotency_key ?? null,
    requestDigest,
    viewVersions: (adapter, metadata) => viewVersions(parts, adapter, metadata),
    nowMs: clock.now(),
    limits,
  };
  return withExpectations(parts, tailored(parts, registered, facts));
}

/** What the type says of its sessions comes before what their creator's say in general. */
function ttlOf({ adapter }: RegisteredAdapter, rule: Rule): number {
  const { ttl_seconds } = adapter.manifest;
  return ttl_seconds === undefined ? sessionTtlMs(rule) : ttl_seconds * 1000;
}

function knobsOf({ limits }: HubParts, { parseKnobs }: RegisteredAdapter, params: CreateParams): JsonObject {
  const knobs = copyJsonObject(params.knobs ?? {}, 'params.knobs', {
    maxDepth: limits.maxJsonDepth,
    maxBytes: limits.maxKnobBytes,
  });
  return parseKnobs(knobs);
}

function labelsOf({ limits }: HubParts, { labels = {}, intent }: CreateParams): Readonly<Record<string, string>> {
  const all = { ...labels, ...(intent === undefined ? {} : { intent }) };
  const names = Object.keys(all);
  if (names.length > limits.maxLabels) {
    throw new WireError('too_large', `params.labels: at most ${limits.maxLabels} labels, got ${names.length}`, {
      field: 'params.labels',
    });
  }
  for (const [name, value] of Object.entries(all)) {
    if (utf8Bytes(name) + utf8Bytes(value) <= limits.maxLabelBytes) continue;
    const field = `params.labels.${name}`;
    throw new WireError('too_large', `${field}: at most ${limits.maxLabelBytes} bytes with its name`, { field });
  }
  copyJsonObject(all, 'params.labels', { maxDepth: 1, maxBytes: Number.MAX_SAFE_INTEGER });
  return all;
}

function expectationsOf({ limits }: HubParts, { expectations }: CreateParams): CreateFacts['expectations'] {
  if (expectations === undefined) return null;
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxKnobBytes };
  copyJson(expectations, 'params.expectations', bounds);
  return expectations.map((entry, i) => ({
    ...entry,
    params: copyJsonObject(entry.params, `params.expectations.${i}.params`, bounds),
  }));
}

async function parentFacts(parts: HubParts, creator: Opener, params: CreateParams): Promise<CreateFacts['parent']> {
  const parentId = params.parent_session_id;
  if (parentId === undefined) return null;
  const state = await parts.sessions.use(parentId, (session) => session.durable);
  const member = state === null ? undefined : participantOf(state.metadata, creator.agentId);
  if (state === null || member === undefined) throw new WireError('not_found', `no session ${parentId}`);
  if (isTerminal(state.metadata.state) || state.metadata.state === 'CLOSING' || member.status !== 'active') {
    const message = `params.parent_session_id: you must be active in a live session; ${parentId} is ${state.metadata.state} and you are ${member.status}`;
    throw new WireError('invalid_create', message, { field: 'params.parent_session_id' });
  }
  return { session_id: parentId, depth: state.metadata.depth };
}

/** 0 would mean "never" for a time the lifecycle depends on, so it is taken as absent. */
function timeoutMs(value: string | number | undefined, field: string): number | null {
  const ms = value === undefined ? 0 : durationMs(value, field);
  return ms === 0 ? null : ms;
}

/** What was asked, apart from the key and how to wait. */
function requestDigest(params: CreateParams, { limits }: HubParts): string {
  const { idempotency_key: _key, wait: _wait, ...asked } = params;
  const bounds = { maxDepth: limits.maxJsonDepth + 2, maxBytes: limits.maxFrameBytes };
  return digestText(canonicalJson(copyJsonObject(asked, 'params', bounds) as Json));
}
