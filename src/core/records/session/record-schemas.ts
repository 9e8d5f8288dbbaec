/** The schemas of the records that travel, each bound to its type. Closed, but for what is a participant's or an adapter's own. */

import { z } from 'zod';
import { type Envelope, HUB_ID, type Priority, type Turn } from './envelope.ts';
import type { Grant } from '../access/grants.ts';
import { utf8Bytes } from '../../lib/json.ts';
import type { AgentKind, Passport, PassportClaim } from '../identity/passport.ts';
import type { Redaction } from './redaction.ts';
import { anyObject, oneOf, record, text, texts, whole } from '../../lib/schema.ts';
import type {
  ExpectationEntry,
  LifecycleState,
  Manifest,
  Participant,
  ParticipantStatus,
  SessionMetadata,
  ViewRef,
} from './session.ts';
import { MAX_DURATION_MS } from '../../time.ts';

/** Ids the hub makes. */
export const MADE_ID: RegExp = /^[0-9a-f]{32}$/;
export const EVENT_TYPE: RegExp = /^[A-Za-z][A-Za-z0-9._-]{0,127}$/;
export const TRACEPARENT: RegExp = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Names nobody can take, because they would read as the hub's. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([HUB_ID]);

export const sessionId: z.ZodType<string> = z
  .string({ error: 'a session id' })
  .regex(MADE_ID, 'a session id of 32 lower-case hex digits');

/** Ids the hub makes: of agents and envelopes. */
export const madeId: z.ZodType<string> = z.string().regex(MADE_ID, 'an id of 32 lower-case hex digits');

export const time: z.ZodType<string> = z.iso.datetime({
  precision: 3,
  error: 'a time such as 2026-01-31T12:00:00.000Z',
});

export const seq: z.ZodType<number> = whole(1, Number.MAX_SAFE_INTEGER);
export const count: z.ZodType<number> = whole(0, Number.MAX_SAFE_INTEGER);

export const traceparent: z.ZodType<string> = z
  .string({ error: 'a W3C traceparent' })
  .regex(TRACEPARENT, 'a W3C traceparent: version-trace-parent-flags of 2-32-16-2 lower-case hex digits');

export const eventType: z.ZodType<string> = z
  .string({ error: 'an event type' })
  .regex(EVENT_TYPE, 'an event type such as msg.text (1 to 128 characters)');

export const priority: z.ZodType<Priority> = oneOf<Priority>(
  { background: 1, normal: 1, urgent: 1 },
  'background, normal or urgent',
);

/** A name or an agent id. */
export const agentRef: z.ZodType<string> = text(64);

export const AUDIENCE_LENGTH = 4096;

/** Who something is for, by id. */
export const audience: z.ZodType<string[]> = z
  .array(agentRef, { error: 'a list of agent ids, or null for everyone' })
  .min(1, 'at least one agent id, or null for everyone')
  .max(AUDIENCE_LENGTH, `at most ${AUDIENCE_LENGTH} agent ids`);

export const key: z.ZodType<string> = text(128).refine((value) => utf8Bytes(value) <= 128, 'a key of 1 to 128 bytes');

export const lifecycleState: z.ZodType<LifecycleState> = oneOf<LifecycleState>(
  { INVITED: 1, ACTIVE: 1, CLOSING: 1, CLOSED: 1, EXPIRED: 1 },
  'a lifecycle state',
);

export const agentName: z.ZodType<string> = z
  .string({ error: 'a name' })
  .regex(NAME, 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)')
  .refine((name) => !RESERVED_NAMES.has(name), 'another name: "hub" is the hub itself')
  // Names and ids are taken in the same places: one that could be an id could pass for somebody else.
  .refine((name) => !MADE_ID.test(name), 'another name: 32 hex digits are an id');

export const agentKind: z.ZodType<AgentKind> = oneOf<AgentKind>(
  { agent: 1, human: 1, remote_agent: 1 },
  'agent, human or remote_agent',
);
const claimed = text(256);

export const passportClaim: z.ZodType<PassportClaim> = z.object({
  name: agentName,
  kind: agentKind.optional(),
  owner: claimed.optional(),
  provider: claimed.optional(),
  model: claimed.optional(),
  cost: claimed.optional(),
  region: claimed.optional(),
});

/** Each of a passport's, for records that are a passport and more. */
export const passportMembers: { readonly [Key in keyof Passport]: z.ZodType<Passport[Key]> } = {
  agent_id: madeId,
  name: agentName,
  kind: agentKind,
  owner: claimed.nullable(),
  provider: claimed.nullable(),
  model: claimed.nullable(),
  cost: claimed.nullable(),
  region: claimed.nullable(),
  created_at: time,
};

export const passport: z.ZodType<Passport> = record<Passport>(passportMembers);

export const turn: z.ZodType<Turn> = record<Turn>({ agent_id: madeId, since_seq: seq });

export const redaction: z.ZodType<Redaction> = record<Redaction>({
  by: madeId.nullable(),
  at: time,
  reason: z.string().nullable(),
  digest: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex'),
  key_digest: text(64),
});

export const envelope: z.ZodType<Envelope> = record<Envelope>({
  session_id: sessionId,
  sender_id: z.union([madeId, z.literal(HUB_ID)]),
  audience: z.array(madeId).nullable(),
  event_type: eventType,
  event_data: anyObject(),
  causation_id: text(128).nullable(),
  task_id: text(128).nullable(),
  traceparent: traceparent.nullable(),
  priority,
  idempotency_key: text(128).nullable(),
  ttl_seconds: z.number().positive().nullable(),
  envelope_id: madeId,
  seq,
  depth: count,
  created_at: time,
  redacted: redaction.exactOptional(),
});

export const expectationEntry: z.ZodType<ExpectationEntry> = record<ExpectationEntry>({
  name: text(64),
  on_violation: text(64),
  params: anyObject(),
  applies_to: z.array(text(64)).exactOptional(),
});

export const viewRef: z.ZodType<ViewRef> = record<ViewRef>({ name: text(64), params: anyObject() });

export const grant: z.ZodType<Grant> = oneOf<Grant>(
  { operate: 1, observe: 1, rules: 1, enrol: 1, approve: 1 },
  'a grant: operate, observe, rules, enrol or approve',
);

export const manifest: z.ZodType<Manifest> = record<Manifest>({
  type: text(64).refine((type) => /^[a-z][a-z0-9_.-]*$/.test(type), 'a type such as "consulting"'),
  version: whole(1, 1_000_000),
  participants: record<Manifest['participants']>({
    min: whole(1, 256),
    max: whole(1, 100_000).nullable(),
    roles: z.array(text(64)),
  }).refine(({ min, max }) => max === null || min <= max, 'min at most max'),
  knobs_schema: anyObject(),
  default_view: viewRef,
  expectations: z.array(expectationEntry),
  grants: z.record(eventType, grant).exactOptional(),
  ttl_seconds: whole(1, MAX_DURATION_MS / 1000).exactOptional(),
});

export const participantStatus: z.ZodType<ParticipantStatus> = oneOf<ParticipantStatus>({
  invited: 1,
  active: 1,
  hidden: 1,
  removed: 1,
  rejected: 1,
});

export const participant: z.ZodType<Participant> = record<Participant>({
  agent_id: madeId,
  name: agentName,
  role: text(64),
  order: count,
  joined_at: time.nullable(),
  status: participantStatus,
});

export const sessionMetadata: z.ZodType<SessionMetadata> = record<SessionMetadata>({
  session_id: sessionId,
  manifest,
  creator_id: madeId,
  participants: z.array(participant),
  state: lifecycleState,
  created_at: time,
  opened_at: time.nullable(),
  expires_at: time.nullable(),
  closed_at: time.nullable(),
  close_reason: z.string().nullable(),
  parent_session_id: sessionId.nullable(),
  depth: count,
  knobs: anyObject(),
  labels: texts(),
  required_acks: count,
  pending_acks: z.array(madeId),
  rejected_by: z.array(madeId),
  head_seq: seq,
  epoch: count,
});
