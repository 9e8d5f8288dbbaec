/**
 * The parameters of a post, and a shortcut to them: it is by far the most frequent operation, and the schema costs more than
 * all the rest of admitting it. What is in order for the shortcut is in order for the schema, with the same result; of
 * anything else it says nothing, and the schema decides and finds the words.
 */

import { z } from 'zod';
import { isWellFormed, type JsonObject, utf8Bytes } from '../../lib/json.ts';
import type { PostParams } from '../../operations.ts';
import {
  AUDIENCE_LENGTH,
  audience,
  EVENT_TYPE,
  eventType,
  key,
  MADE_ID,
  priority,
  sessionId,
  TRACEPARENT,
  traceparent,
} from '../../records/session/record-schemas.ts';
import { anyObject, schemaOf, text, whole } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';

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
    expected_seq: whole(0, Number.MAX_SAFE_INTEGER).optional(),
  }),
);

/** The schema with the shortcut before it. */
export const postParams: Schema<PostParams> = {
  parse: (value, where) => plainPostParams(value) ?? postSchema.parse(value, where),
  jsonSchema: () => postSchema.jsonSchema(),
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What the schema would make of it; null = ask the schema. */
export function plainPostParams(value: unknown): PostParams | null {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return null;
  // Its members are looked at one by one below, each read once.
  const given = value as Readonly<Record<string, unknown>>;
  const { session_id, event_type, event_data } = given;
  if (typeof session_id !== 'string' || !MADE_ID.test(session_id)) return null;
  if (typeof event_type !== 'string' || !(event_type === 'msg.text' || EVENT_TYPE.test(event_type))) return null;
  if (!isObject(event_data)) return null;
  const params: Mutable<PostParams> = { session_id, event_type, event_data };
  for (const key in given) {
    if (!putMember(params, key, given[key])) return null;
  }
  return params;
}

/** False = it is not plainly right. Keys nobody asked for are left out. */
function putMember(params: Mutable<PostParams>, key: string, value: unknown): boolean {
  switch (key) {
    case 'audience':
      if (value !== null && !isAudience(value)) return false;
      params.audience = value === null ? null : [...value];
      return true;
    case 'causation_id':
    case 'task_id':
      if (value !== null && !isText(value, ID_LENGTH)) return false;
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

/** Only the outer shape, as the schema looks at it. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= most && isWellFormed(value);
}

function isKey(value: unknown): value is string {
  if (!isText(value, KEY_BYTES)) return false;
  return value.length * 3 <= KEY_BYTES || utf8Bytes(value) <= KEY_BYTES;
}

function isAudience(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > AUDIENCE_LENGTH) return false;
  return value.every((agentId) => isText(agentId, AGENT_LENGTH));
}
