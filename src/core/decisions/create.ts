/** Creating a session is one append: [created, invite × n], plus [opened] if no answer is required. */

import { internalError, isProtocolError, WireError } from '../lib/errors.ts';
import { describeValue, type JsonObject } from '../lib/json.ts';
import { isoFromMs, MAX_DURATION_MS } from '../lib/time.ts';
import type { CompleteAdapter } from '../ports/adapter.ts';
import type { ExpectationSet } from '../ports/expectation.ts';
import type { Limits } from '../records/access/limits.ts';
import { type Draft, type Envelope, hubDraft } from '../records/session/envelope.ts';
import type { CreatedData, ExpectationEntry, Manifest, SessionMetadata } from '../records/session/session.ts';
import { nextStamp } from '../records/session/stamp.ts';
import { inviteDraft } from '../state/invite.ts';
import { foldEnvelope } from '../state/state.ts';

/** A parsed create request with every name resolved. */
export interface CreateFacts {
  readonly session_id: string;
  readonly adapter: CompleteAdapter;
  readonly creator_id: string;
  /** All participants in order, including the creator. */
  readonly participants: readonly { readonly agent_id: string; readonly name: string }[];
  readonly knobs: JsonObject;
  /** Versions of the registered parts that the session uses, in addition to its adapter. */
  readonly versions?: JsonObject;
  readonly watch?: ExpectationSet | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly expectations: readonly ExpectationEntry[] | null;
  readonly requiredAcks: number | null;
  /** 0 = no TTL. */
  readonly ttlMs: number;
  readonly inviteTimeoutMs: number | null;
  readonly drainTimeoutMs: number;
  readonly parent: { readonly session_id: string; readonly depth: number } | null;
  readonly idempotencyKey: string | null;
  readonly requestDigest: string;
  /** Versions of the session's default views, by name. */
  readonly viewVersions: (adapter: CompleteAdapter, metadata: SessionMetadata) => JsonObject;
  readonly nowMs: number;
  readonly limits: Limits;
}

/** Builds the drafts of the first unit. Throws `invalid_create`. */
export function createDrafts(facts: CreateFacts): readonly Draft[] {
  const { created, others } = firstUnit(facts);
  const metadata = metadataOf(created, facts);
  callAdapter(facts, 'validateCreate', (adapter) => adapter.validateCreate(metadata));
  const view = facts.viewVersions(facts.adapter, metadata);
  return [Object.keys(view).length === 0 ? created : withVersions(created, { view }), ...others];
}

function withVersions(created: Draft, more: JsonObject): Draft {
  const { versions } = created.event_data;
  return { ...created, event_data: { ...created.event_data, versions: { ...(versions as JsonObject), ...more } } };
}

/** Builds the metadata of a planned session, for calls to its adapter before the session exists. */
export function planMetadata(facts: CreateFacts): SessionMetadata {
  return metadataOf(firstUnit(facts).created, facts);
}

/** A ProtocolError becomes `invalid_create`; any other throw is a defect of the adapter. */
export function callAdapter<T>(
  { adapter }: Pick<CreateFacts, 'adapter'>,
  member: string,
  ask: (adapter: CompleteAdapter) => T,
): T {
  try {
    return ask(adapter);
  } catch (thrown) {
    if (!isProtocolError(thrown)) throw internalError(thrown, `${member} of ${adapter.manifest.type}`);
    throw new WireError('invalid_create', thrown.message, thrown.details, { cause: thrown });
  }
}

function metadataOf(created: Draft, { nowMs }: CreateFacts): SessionMetadata {
  const envelope: Envelope = { ...created, ...nextStamp(nowMs, null, ''), seq: 1, depth: 0 };
  return foldEnvelope(null, envelope, { adapter: null, epoch: 1 }).metadata;
}

function firstUnit(facts: CreateFacts): { readonly created: Draft; readonly others: readonly Draft[] } {
  const { session_id, creator_id, nowMs } = facts;
  const usual = facts.adapter.manifest;
  // Share the adapter's manifest object between sessions unless it differs.
  const manifest: Manifest = facts.expectations === null ? usual : { ...usual, expectations: facts.expectations };
  checkParticipants(facts, manifest);
  checkAcksWithin(manifest);
  const participants = withRoles(facts);
  const invitees = participants.filter(({ agent_id }) => agent_id !== creator_id);
  const created: CreatedData = {
    manifest,
    creator_id,
    participants,
    knobs: facts.knobs,
    labels: facts.labels,
    required_acks: requiredAcks(facts, manifest, invitees.length),
    invite_deadline_at: invitees.length === 0 ? null : isoFromMs(nowMs + inviteMs(facts, manifest)),
    expires_at: facts.ttlMs === 0 ? null : isoFromMs(nowMs + facts.ttlMs),
    drain_timeout_ms: facts.drainTimeoutMs,
    parent_session_id: facts.parent?.session_id ?? null,
    depth: facts.parent === null ? 0 : facts.parent.depth + 1,
    versions: { adapter: manifest.version, ...facts.versions },
    request_digest: facts.requestDigest,
  };
  // CreatedData is JSON; its interface only lacks an index signature.
  const createdDraft: Draft = {
    ...hubDraft(session_id, 'session.created', created as unknown as JsonObject, []),
    idempotency_key: facts.idempotencyKey,
  };
  const invites = invitees.map((invitee) => inviteDraft({ ...created, session_id }, invitee));
  const opened = created.required_acks === 0 ? [hubDraft(session_id, 'session.opened', { active: [creator_id] })] : [];
  return { created: createdDraft, others: [...invites, ...opened] };
}

function checkParticipants({ participants, limits }: CreateFacts, manifest: Manifest): void {
  const { min, max } = manifest.participants;
  const most = Math.min(max ?? limits.maxParticipants, limits.maxParticipants);
  const count = participants.length;
  if (count >= min && count <= most) return;
  const expected = min === most ? `exactly ${min}` : `${min} to ${most}`;
  throw new WireError(
    'invalid_create',
    `participants: ${manifest.type} takes ${expected}, the creator included; got ${count}`,
    {
      field: 'participants',
      expected,
      received: String(count),
    },
  );
}

/** The lifecycle depends on `acks_within`, so its time must be valid. */
function checkAcksWithin({ expectations }: Manifest): void {
  for (const [i, { name, params }] of expectations.entries()) {
    const { seconds } = params;
    if (name !== 'acks_within' || (typeof seconds === 'number' && seconds > 0 && seconds * 1000 <= MAX_DURATION_MS))
      continue;
    const field = `expectations.${i}.params.seconds`;
    const expected = 'more than 0 seconds (at most 36500 days)';
    const received = describeValue(seconds);
    throw new WireError('invalid_create', `${field}: expected ${expected}, got ${received}`, {
      field,
      expected,
      received,
    });
  }
}

function withRoles({ participants, creator_id }: CreateFacts): CreatedData['participants'] {
  const other = participants.length === 2 ? 'respondent' : 'participant';
  return participants.map(({ agent_id, name }, order) => ({
    agent_id,
    name,
    role: agent_id === creator_id ? 'initiator' : other,
    order,
  }));
}

function requiredAcks({ requiredAcks: asked }: CreateFacts, manifest: Manifest, invitees: number): number {
  const least = Math.min(Math.max(manifest.participants.min - 1, 0), invitees);
  const required = asked ?? invitees;
  if (required >= least && required <= invitees) return required;
  throw new WireError('invalid_create', `required_acks: expected ${least} to ${invitees}, got ${required}`, {
    field: 'required_acks',
    expected: `${least} to ${invitees}`,
    received: String(required),
  });
}

/** The invite timeout: an `acks_within` with `auto_close`, else the request, else the hub's default. */
function inviteMs({ inviteTimeoutMs, limits }: CreateFacts, manifest: Manifest): number {
  return acksWithinMs(manifest) ?? inviteTimeoutMs ?? limits.inviteTimeoutMs;
}

/** The shortest `acks_within … auto_close` that applies to all invitees; null = none. */
export function acksWithinMs(manifest: Manifest): number | null {
  const seconds = manifest.expectations
    .filter(
      ({ name, on_violation, applies_to }) =>
        name === 'acks_within' && on_violation === 'auto_close' && applies_to === undefined,
    )
    .map(({ params }) => params.seconds)
    .filter((value) => typeof value === 'number');
  return seconds.length === 0 ? null : Math.min(...seconds) * 1000;
}
