/** Writes units and envelopes exactly like JSON.stringify, but several times faster, because the members are known. Every
 * accepted envelope is written to disk and to its recipients. */

import type { Awaited, Envelope, Turn } from '../records/session/envelope.ts';
import type { Entry, Unit } from '../records/session/unit.ts';

export function serializeUnit({ entries }: Unit): string {
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isEveryday(only.envelope)) return everydayUnit(only);
  let text = '';
  for (const { envelope, turn, due, awaits } of entries) {
    const beside = `${due === undefined ? '' : `,"due":${due}`}${awaitedText(awaits)}`;
    text += `${text === '' ? '' : ','}{"envelope":${serializeEnvelope(envelope)},"turn":${serializeTurn(turn)}${beside}}`;
  }
  return `{"entries":[${text}]}`;
}

/** Fast for plain texts; anything else goes through JSON.stringify. Ids, times and types need no escapes. */
export function serializeEnvelope(e: Envelope): string {
  const { text } = e.event_data;
  if (typeof text !== 'string' || !isPlain(e)) return JSON.stringify(e);
  return `{"session_id":"${e.session_id}","sender_id":"${e.sender_id}","audience":null,"event_type":"${e.event_type}","event_data":{"text":"${text}"},"causation_id":null,"task_id":null,"traceparent":null,"priority":"${e.priority}","idempotency_key":${e.idempotency_key === null ? 'null' : jsonString(e.idempotency_key)},"ttl_seconds":null,"envelope_id":"${e.envelope_id}","seq":${e.seq},"depth":${e.depth},"created_at":"${e.created_at}"}`;
}

/** Extracts the envelope from the text of a single-entry unit; no envelope follows its `turn`. */
export function extractSingleEnvelope(unit: string): string {
  return unit.slice(UNIT_HEAD.length, unit.lastIndexOf(',"turn":'));
}

const UNIT_HEAD = '{"entries":[{"envelope":';

/** Writes the most common unit: one text under a key. Uses one template, because each string part is allocated. */
function everydayUnit({ envelope: e, turn, due, awaits }: Entry): string {
  const text = `{"entries":[{"envelope":{"session_id":"${e.session_id}","sender_id":"${e.sender_id}","audience":null,"event_type":"msg.text","event_data":{"text":"${e.event_data.text}"},"causation_id":null,"task_id":null,"traceparent":null,"priority":"normal","idempotency_key":"${e.idempotency_key}","ttl_seconds":null,"envelope_id":"${e.envelope_id}","seq":${e.seq},"depth":${e.depth},"created_at":"${e.created_at}"},"turn":`;
  if (turn === null && due !== undefined && awaits === undefined) return `${text}null,"due":${due}}]}`;
  return `${text}${serializeTurn(turn)}${due === undefined ? '' : `,"due":${due}`}${awaitedText(awaits)}}]}`;
}

function awaitedText(awaits: Awaited | undefined): string {
  return awaits === undefined ? '' : `,"awaits":${JSON.stringify(awaits)}`;
}

function isEveryday(e: Envelope): boolean {
  if (e.event_type !== 'msg.text' || e.priority !== 'normal' || e.idempotency_key === null) return false;
  return isPlain(e) && !NEEDS_ESCAPE.test(e.idempotency_key);
}

/** True for an envelope addressed to everyone, with only a text that needs no escapes. */
function isPlain(e: Envelope): boolean {
  if (e.audience !== null || e.ttl_seconds !== null) return false;
  if (e.redacted !== undefined || e.causation_id !== null || e.task_id !== null || e.traceparent !== null) return false;
  for (const key in e.event_data) if (key !== 'text') return false;
  const { text } = e.event_data;
  return typeof text === 'string' && !NEEDS_ESCAPE.test(text);
}

export function jsonString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

export function serializeTurn(turn: Turn | null): string {
  return turn === null ? 'null' : JSON.stringify(turn);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;
