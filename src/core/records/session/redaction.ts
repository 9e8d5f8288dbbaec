/** An envelope whose content an operator has hidden: what is kept of it, and what stands in its place. Pure. */

import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../../lib/json.ts';
import { sha256 } from '../../lib/sha256.ts';
import { type Envelope, isContent, type Redaction } from './envelope.ts';
import { keyRecord } from './keys.ts';

/** The log that holds the redactions; beside the sessions, so that one that has ended or is archived can be redacted too. */
export const REDACTIONS_LOG = 'redactions';
export const REDACTED_EVENT = 'envelope.redacted';
/** What is read where something was. */
export const REDACTED_TEXT = '[redacted]';

/** What tasks and delegations carry. The rest of their data is what they are, and stays. */
const CARRIED: ReadonlyMap<string, string> = new Map([
  ['task.progress', 'note'],
  ['task.checkpoint', 'data'],
  ['task.completed', 'result'],
  ['task.failed', 'result'],
  ['delegation.opened', 'prompt'],
]);

/** What is kept of `usage`. */
const COUNTS: ReadonlySet<string> = new Set(['fresh', 'cache_read', 'cache_write', 'output']);

/** The member of the data that would be hidden; null = all of it; undefined = none of it may be. */
export function redactableField({ event_type, event_data, task_id }: Envelope): string | null | undefined {
  if (isContent(event_type) || event_type === 'context.set') return null;
  // A turn that failed is of no task, and why it did is nowhere else.
  const member = event_type === 'task.failed' && task_id === null ? 'reason' : CARRIED.get(event_type);
  return member !== undefined && Object.hasOwn(event_data, member) ? member : undefined;
}

/** What would be hidden. */
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

/** Why a task failed is told beside what came of it, and may say the same. */
function isFailedTask({ event_type, task_id, event_data }: Envelope): boolean {
  return event_type === 'task.failed' && task_id !== null && typeof event_data.reason === 'string';
}

export function digestsOf(envelope: Envelope): Pick<Redaction, 'digest' | 'key_digest'> {
  return { digest: sha256(canonicalJson(envelope.event_data)), key_digest: keyRecord(envelope).digest };
}

/** What stands in its place: the same envelope, and nothing of what it said. Once is as good as twice. */
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

/** What was spent was spent: budgets are folded from it. */
function spentOf({ usage, cost_usd }: Partial<JsonObject>): JsonObject {
  const counts = isPlainObject(usage) ? Object.entries(usage).filter(isCount) : null;
  return {
    ...(counts === null ? {} : { usage: Object.fromEntries(counts) as JsonObject }),
    ...(typeof cost_usd === 'number' || cost_usd === null ? { cost_usd } : {}),
  };
}

/** In types whose data nobody checks, anything may stand there: names too. */
function isCount([name, value]: readonly [string, unknown]): boolean {
  return COUNTS.has(name) && typeof value === 'number';
}

function notCounted(usage: Json): Json {
  if (!isPlainObject(usage)) return usage;
  return Object.fromEntries(Object.entries(usage).filter((one) => !isCount(one))) as JsonObject;
}
