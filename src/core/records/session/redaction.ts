/** Selects the content that a redaction removes, and builds the tombstone that replaces it. */

import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../../lib/json.ts';
import { sha256 } from '../../lib/sha256.ts';
import { type Envelope, isContent, type Redaction } from './envelope.ts';
import { keyRecord } from './keys.ts';

/** A separate log for redactions, so that ended and archived sessions can be redacted too. */
export const REDACTIONS_LOG = 'redactions';
export const REDACTED_EVENT = 'envelope.redacted';
export const REDACTED_TEXT = '[redacted]';

/** The content member of task and delegation types; their other members stay. */
const CONTENT_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['task.progress', 'note'],
  ['task.checkpoint', 'data'],
  ['task.completed', 'result'],
  ['task.failed', 'result'],
  ['delegation.opened', 'prompt'],
]);

/** The members of `usage` that a redaction keeps. */
const COUNTS: ReadonlySet<string> = new Set(['fresh', 'cache_read', 'cache_write', 'output']);

/** The member to redact; null for all data; undefined if nothing may be redacted. */
export function redactableField({ event_type, event_data, task_id }: Envelope): string | null | undefined {
  if (isContent(event_type) || event_type === 'context.set') return null;
  // For a failed turn without a task, `reason` is the only content.
  const member = event_type === 'task.failed' && task_id === null ? 'reason' : CONTENT_MEMBERS.get(event_type);
  return member !== undefined && Object.hasOwn(event_data, member) ? member : undefined;
}

/** The content that a redaction would remove. */
export function redactableContent(envelope: Envelope): Json {
  const member = redactableField(envelope);
  if (member === undefined) return null;
  const { event_data } = envelope;
  if (member !== null)
    return isFailedTask(envelope)
      ? [event_data[member] ?? null, event_data.reason ?? null]
      : (event_data[member] ?? null);
  const { usage, cost_usd, ...said } = event_data;
  const isKept = typeof cost_usd === 'number' || cost_usd === undefined;
  return { ...said, ...(usage === undefined ? {} : { usage: notCounted(usage) }), ...(isKept ? {} : { cost_usd }) };
}

/** Whether a failed task has a reason, which may repeat its result. */
function isFailedTask({ event_type, task_id, event_data }: Envelope): boolean {
  return event_type === 'task.failed' && task_id !== null && typeof event_data.reason === 'string';
}

export function digestsOf(envelope: Envelope): Pick<Redaction, 'digest' | 'key_digest'> {
  return { digest: sha256(canonicalJson(envelope.event_data)), key_digest: keyRecord(envelope).digest };
}

/** The redacted envelope. Idempotent. */
export function tombstone(envelope: Envelope, { by, at, reason, digest, key_digest }: Redaction): Envelope {
  if (envelope.redacted !== undefined) return envelope;
  const redacted: Redaction = { by, at, reason, digest, key_digest };
  const member = redactableField(envelope);
  const { event_data } = envelope;
  if (member == null) return { ...envelope, event_data: { text: REDACTED_TEXT, ...spentOf(event_data) }, redacted };
  const hidden = typeof event_data[member] === 'string' ? REDACTED_TEXT : { text: REDACTED_TEXT };
  const why = isFailedTask(envelope) ? { reason: REDACTED_TEXT } : {};
  return { ...envelope, event_data: { ...event_data, ...why, [member]: hidden }, redacted };
}

/** Keeps the costs: budgets are folded from them. */
function spentOf({ usage, cost_usd }: Partial<JsonObject>): JsonObject {
  const counts = isPlainObject(usage) ? Object.entries(usage).filter(isCount) : null;
  return {
    ...(counts === null ? {} : { usage: Object.fromEntries(counts) as JsonObject }),
    ...(typeof cost_usd === 'number' || cost_usd === null ? { cost_usd } : {}),
  };
}

/** True for known numeric counts: unchecked types may carry anything here, including names. */
function isCount([name, value]: readonly [string, unknown]): boolean {
  return COUNTS.has(name) && typeof value === 'number';
}

function notCounted(usage: Json): Json {
  if (!isPlainObject(usage)) return usage;
  return Object.fromEntries(Object.entries(usage).filter((one) => !isCount(one))) as JsonObject;
}
