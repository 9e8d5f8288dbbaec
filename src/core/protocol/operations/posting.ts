/** Operations to post, and to report on a turn. */

import { z } from 'zod';
import type { PostAnswer } from '../../decisions/admit.ts';
import type { FailureAnswer, ProgressAnswer } from '../../decisions/progress.ts';
import { WIRE_CODES, type WireCode } from '../../lib/errors.ts';
import { type JsonObject, utf8Bytes } from '../../lib/json.ts';
import { anyObject, integerBetween, isAnyObject, isTextUpTo, oneOf, record, schemaOf, text } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import {
  AUDIENCE_LENGTH,
  audience,
  EVENT_TYPE,
  eventType,
  GENERATED_ID,
  generatedId,
  key,
  seq,
  sessionId,
  TRACEPARENT,
  time,
  traceparent,
} from '../../records/fields.ts';
import type { Priority, Turn } from '../../records/session/envelope.ts';
import { priority, turn } from '../../records/session/record-schemas.ts';
import { duplicate, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

export interface PostParams {
  readonly session_id: string;
  readonly event_type: string;
  readonly event_data: JsonObject;
  readonly audience?: readonly string[] | null | undefined;
  readonly causation_id?: string | null | undefined;
  readonly task_id?: string | null | undefined;
  readonly traceparent?: string | null | undefined;
  readonly priority?: Priority | undefined;
  readonly idempotency_key?: string | null | undefined;
  readonly ttl_seconds?: number | null | undefined;
  readonly expected_seq?: number | undefined;
}

export interface PostingOperations {
  post: { params: PostParams; result: PostAnswer };
  can_send: {
    params: { readonly session_id: string; readonly event_type?: string | undefined };
    result: {
      readonly can: boolean;
      readonly code: WireCode | null;
      readonly why: string | null;
      readonly turn: Turn | null;
    };
  };
  report_progress: {
    params: { readonly session_id: string; readonly note?: string | undefined };
    result: ProgressAnswer;
  };
  report_turn_failure: { params: { readonly session_id: string; readonly reason: string }; result: FailureAnswer };
}

const KEY_BYTES = 128;
const ID_LENGTH = 128;
const AGENT_LENGTH = 64;

export const postSchema: Schema<PostParams> = schemaOf(
  z.object({
    session_id: sessionId,
    event_type: eventType,
    event_data: anyObject(),
    audience: audience.nullable().optional(),
    causation_id: text(ID_LENGTH).nullable().optional(),
    task_id: text(ID_LENGTH).nullable().optional(),
    traceparent: traceparent.nullable().optional(),
    priority: priority.optional(),
    idempotency_key: key.nullable().optional(),
    ttl_seconds: z.number({ error: 'seconds' }).positive('more than 0 seconds').nullable().optional(),
    expected_seq: integerBetween(0, Number.MAX_SAFE_INTEGER).optional(),
  }),
);

/** Parses the most frequent operation without the schema, which costs more than the rest of admitting a post. If the fast
 * parser returns null, the schema decides and words the error. */
export const postParams: Schema<PostParams> = {
  parse: (value, where) => parsePostParamsFast(value) ?? postSchema.parse(value, where),
  jsonSchema: () => postSchema.jsonSchema(),
};

export const POSTING: Operations<PostingOperations> = {
  post: operation({
    params: postParams,
    result: record<PostAnswer>({ envelope_id: generatedId, seq, created_at: time, turn: turn.nullable(), duplicate }),
    who: 'active participant',
    errors: [
      'not_found',
      'duplicate',
      'session_closed',
      'protocol_error',
      'not_your_turn',
      'conflict',
      'too_large',
      'forbidden',
      'rate_limited',
      'inbox_full',
    ],
    help: 'Post an envelope to a session.',
    retry: 'with a key',
    about: {
      event_type: 'The event type, such as `msg.text`.',
      event_data: 'The content; for `msg.text` it is `{text}`.',
      audience: 'Recipients by id; null = everyone in the session.',
      causation_id: 'The envelope or turn it answers.',
      traceparent: 'W3C trace context.',
      priority: 'The priority.',
      ttl_seconds: 'Not delivered after this time.',
      expected_seq: 'The newest seq you know; if it has changed, the answer is `conflict`.',
    },
  }),
  can_send: operation({
    params: z.object({ session_id: sessionId, event_type: eventType.optional() }),
    result: record<PostingOperations['can_send']['result']>({
      can: z.boolean(),
      code: oneOf<WireCode>(WIRE_CODES).nullable(),
      why: z.string().nullable(),
      turn: turn.nullable(),
    }),
    who: 'participant',
    errors: ['not_found'],
    help: 'Check whether the hub would accept your post now, and if not, why.',
    retry: 'always',
    about: { event_type: 'The event type, such as `msg.text`.' },
  }),
  report_progress: operation({
    params: z.object({ session_id: sessionId, note: text(1024).optional() }),
    result: record<ProgressAnswer>({ logged: z.boolean() }),
    who: 'active participant',
    errors: ['not_found', 'not_your_turn', 'session_closed'],
    help: 'Report that you are working on your turn, to extend its deadline.',
    retry: 'always',
  }),
  report_turn_failure: operation({
    params: z.object({ session_id: sessionId, reason: text(1024) }),
    result: record<FailureAnswer>({ seq }),
    who: 'active participant',
    errors: ['not_found', 'not_your_turn', 'session_closed'],
    help: 'Report that you cannot take your turn; expectations with on_failure fire at once.',
    // A repeat might affect a later turn.
    retry: 'never',
  }),
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Parses without the schema, with the same result; null = use the schema. */
export function parsePostParamsFast(value: unknown): PostParams | null {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return null;
  // Each member is checked below.
  const given = value as Readonly<Record<string, unknown>>;
  const { session_id, event_type, event_data } = given;
  if (typeof session_id !== 'string' || !GENERATED_ID.test(session_id)) return null;
  if (typeof event_type !== 'string' || !(event_type === 'msg.text' || EVENT_TYPE.test(event_type))) return null;
  if (!isAnyObject(event_data)) return null;
  const params: Mutable<PostParams> = { session_id, event_type, event_data };
  for (const key in given) {
    if (!putMember(params, key, given[key])) return null;
  }
  return params;
}

/** Copies a valid member; returns false if it is not clearly valid. Ignores unknown keys. */
function putMember(params: Mutable<PostParams>, key: string, value: unknown): boolean {
  switch (key) {
    case 'audience':
      if (value !== null && !isAudience(value)) return false;
      params.audience = value === null ? null : [...value];
      return true;
    case 'causation_id':
    case 'task_id':
      if (value !== null && !isTextUpTo(value, ID_LENGTH)) return false;
      params[key] = value;
      return true;
    case 'traceparent':
      if (value !== null && !(typeof value === 'string' && TRACEPARENT.test(value))) return false;
      params.traceparent = value;
      return true;
    case 'priority':
      if (value !== 'normal' && value !== 'urgent' && value !== 'background') return false;
      params.priority = value;
      return true;
    case 'idempotency_key':
      if (value !== null && !isKey(value)) return false;
      params.idempotency_key = value;
      return true;
    case 'ttl_seconds':
      if (value !== null && !(typeof value === 'number' && value > 0 && Number.isFinite(value))) return false;
      params.ttl_seconds = value;
      return true;
    case 'expected_seq':
      if (!(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return false;
      params.expected_seq = value;
      return true;
    default:
      return true;
  }
}

function isKey(value: unknown): value is string {
  if (!isTextUpTo(value, KEY_BYTES)) return false;
  return value.length * 3 <= KEY_BYTES || utf8Bytes(value) <= KEY_BYTES;
}

function isAudience(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > AUDIENCE_LENGTH) return false;
  return value.every((agentId) => isTextUpTo(agentId, AGENT_LENGTH));
}
