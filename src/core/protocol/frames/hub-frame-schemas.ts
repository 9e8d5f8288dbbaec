/** Schemas of the frames a hub sends: a contract for peers and tests, not checked at run time. */

import { z } from 'zod';
import { WIRE_CODES, type WireCode } from '../../lib/errors.ts';
import { anyObject, oneOf, record, schemaOf, text } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { agentName, count, generatedId, seq, sessionId, time } from '../../records/fields.ts';
import { envelope, turn } from '../../records/session/record-schemas.ts';
import type {
  ErrorFrame,
  ForwardedDelta,
  GapFrame,
  GapReason,
  GoodbyeFrame,
  GoodbyeReason,
  HubFrame,
  NotifyFrame,
  PongFrame,
  ResponseFrame,
  WelcomeFrame,
  WelcomeLimits,
  WireErrorRecord,
} from './frames.ts';

const yes = z.literal(true);
const wireError: z.ZodType<WireErrorRecord> = record<WireErrorRecord>({
  code: oneOf<WireCode>(WIRE_CODES),
  message: z.string(),
  details: anyObject().exactOptional(),
});

const limits: z.ZodType<WelcomeLimits> = record<WelcomeLimits>({
  max_frame_bytes: count,
  max_event_bytes: count,
  window: count,
  max_open_requests: count,
  max_subscriptions: count,
  ping_ms: z.number().nullable(),
});

const welcome = record<WelcomeFrame>({
  kind: z.literal('welcome'),
  name: agentName,
  agent_id: generatedId,
  endpoint_id: generatedId,
  hub_id: generatedId,
  hub_time: time,
  limits,
  features: z.array(z.string()),
});

type Answered = Extract<ResponseFrame, { readonly ok: true }>;
type Refused = Extract<ResponseFrame, { readonly ok: false }>;
const request_id = text(128);
const response = z.union([
  record<Answered>({ kind: z.literal('response'), request_id, ok: yes, result: anyObject() }),
  record<Refused>({ kind: z.literal('response'), request_id, ok: z.literal(false), error: wireError }),
]);

const notify = record<NotifyFrame>({
  kind: z.literal('notify'),
  recipient_id: generatedId,
  envelope,
  epoch: count,
  prev_seq: count.nullable(),
  turn: turn.nullable(),
  attempt: count.exactOptional(),
  starts: yes.exactOptional(),
  delegated: yes.exactOptional(),
  observed: yes.exactOptional(),
});

const delta = record<ForwardedDelta>({
  kind: z.literal('delta'),
  recipient_id: generatedId,
  session_id: sessionId,
  sender_id: generatedId,
  turn_id: text(128),
  audience: z.array(generatedId).nullable(),
  index: count,
  text: z.string(),
  observed: yes.exactOptional(),
});

const gap = record<GapFrame>({
  kind: z.literal('gap'),
  recipient_id: generatedId,
  session_id: sessionId,
  epoch: count,
  from_seq: seq,
  to_seq: seq,
  reason: oneOf<GapReason>({ epoch: 1, overflow: 1, expired: 1, retention: 1, archived: 1 }),
});

const goodbye = record<GoodbyeFrame>({
  kind: z.literal('goodbye'),
  reason: oneOf<GoodbyeReason>({
    replaced: 1,
    unauthorized: 1,
    unregistered: 1,
    shutdown: 1,
    bad_frames: 1,
    slow_consumer: 1,
  }),
  recipient_id: generatedId.exactOptional(),
  retry_after_ms: z.number().exactOptional(),
});

const pong = record<PongFrame>({
  kind: z.literal('pong'),
  id: text(128).exactOptional(),
  open: z.array(text(128)).exactOptional(),
  unacked: count.exactOptional(),
  invites: count.exactOptional(),
});

type HubFrames = { readonly [Kind in HubFrame['kind']]: Schema<Extract<HubFrame, { readonly kind: Kind }>> };

/** Schemas by kind of frame; fails to compile unless complete. */
export const hubFrames: HubFrames = {
  welcome: schemaOf(welcome),
  response: schemaOf(response),
  notify: schemaOf(notify),
  delta: schemaOf(delta),
  gap: schemaOf(gap),
  goodbye: schemaOf(goodbye),
  error: schemaOf(record<ErrorFrame>({ kind: z.literal('error'), error: wireError })),
  ping: schemaOf(record<{ readonly kind: 'ping' }>({ kind: z.literal('ping') })),
  pong: schemaOf(pong),
};

export const wireErrorSchema: Schema<WireErrorRecord> = schemaOf(wireError);
