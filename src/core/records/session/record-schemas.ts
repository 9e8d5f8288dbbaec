/** Schemas of the session records, each bound to its type. Closed, except where participants or adapters add some. */

import { z } from 'zod';
import { anyObject, integerBetween, oneOf, record, text, textMap } from '../../lib/schema.ts';
import { MAX_DURATION_MS } from '../../lib/time.ts';
import { grant } from '../access/token-schema.ts';
import { agentName, count, eventType, generatedId, seq, sessionId, time, traceparent } from '../fields.ts';
import { type Envelope, HUB_ID, type Priority, type Redaction, type Turn } from './envelope.ts';
import type {
  ExpectationEntry,
  LifecycleState,
  Manifest,
  Participant,
  ParticipantStatus,
  SessionMetadata,
  ViewRef,
} from './session.ts';

export const priority: z.ZodType<Priority> = oneOf<Priority>(
  { background: 1, normal: 1, urgent: 1 },
  'background, normal or urgent',
);

export const lifecycleState: z.ZodType<LifecycleState> = oneOf<LifecycleState>(
  { INVITED: 1, ACTIVE: 1, CLOSING: 1, CLOSED: 1, EXPIRED: 1 },
  'a lifecycle state',
);

export const turn: z.ZodType<Turn> = record<Turn>({ agent_id: generatedId, since_seq: seq });

export const redaction: z.ZodType<Redaction> = record<Redaction>({
  by: generatedId.nullable(),
  at: time,
  reason: z.string().nullable(),
  digest: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex'),
  key_digest: text(64),
});

export const envelope: z.ZodType<Envelope> = record<Envelope>({
  session_id: sessionId,
  sender_id: z.union([generatedId, z.literal(HUB_ID)]),
  audience: z.array(generatedId).nullable(),
  event_type: eventType,
  event_data: anyObject(),
  causation_id: text(128).nullable(),
  task_id: text(128).nullable(),
  traceparent: traceparent.nullable(),
  priority,
  idempotency_key: text(128).nullable(),
  ttl_seconds: z.number().positive().nullable(),
  envelope_id: generatedId,
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

export const manifest: z.ZodType<Manifest> = record<Manifest>({
  type: text(64).refine((type) => /^[a-z][a-z0-9_.-]*$/.test(type), 'a type such as "consulting"'),
  version: integerBetween(1, 1_000_000),
  participants: record<Manifest['participants']>({
    min: integerBetween(1, 256),
    max: integerBetween(1, 100_000).nullable(),
    roles: z.array(text(64)),
  }).refine(({ min, max }) => max === null || min <= max, 'min at most max'),
  knobs_schema: anyObject(),
  default_view: viewRef,
  expectations: z.array(expectationEntry),
  grants: z.record(eventType, grant).exactOptional(),
  ttl_seconds: integerBetween(1, MAX_DURATION_MS / 1000).exactOptional(),
});

export const participantStatus: z.ZodType<ParticipantStatus> = oneOf<ParticipantStatus>({
  invited: 1,
  active: 1,
  hidden: 1,
  removed: 1,
  rejected: 1,
});

export const participant: z.ZodType<Participant> = record<Participant>({
  agent_id: generatedId,
  name: agentName,
  role: text(64),
  order: count,
  joined_at: time.nullable(),
  status: participantStatus,
});

export const sessionMetadata: z.ZodType<SessionMetadata> = record<SessionMetadata>({
  session_id: sessionId,
  manifest,
  creator_id: generatedId,
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
  labels: textMap(),
  required_acks: count,
  pending_acks: z.array(generatedId),
  rejected_by: z.array(generatedId),
  head_seq: seq,
  epoch: count,
});
