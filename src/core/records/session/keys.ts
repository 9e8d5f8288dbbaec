/** Idempotency keys: the record of an accepted (sender, key), and the check of a repeat. */

import { canonicalJson } from '../../lib/json.ts';
import type { Draft, Envelope } from './envelope.ts';

export interface KeyRecord {
  readonly envelope_id: string;
  readonly seq: number;
  readonly created_at: string;
  readonly audience: readonly string[] | null;
  readonly digest: string;
}

export function keyName(senderId: string, key: string): string {
  return `${senderId}\n${key}`;
}

export function keyRecord(envelope: Envelope): KeyRecord {
  const { envelope_id, seq, created_at, audience } = envelope;
  return { envelope_id, seq, created_at, audience, digest: envelope.redacted?.key_digest ?? contentDigest(envelope) };
}

/** A small number that replaces (sender, key) to save memory; different keys may collide. */
export function keyHash(senderId: string, key: string): number {
  if (senderId !== lastSender.id) lastSender = ofSender(senderId);
  if (key !== lastSender.key) {
    lastSender.keyHash = hashOn(lastSender.hash, key);
    lastSender.key = key;
  }
  return lastSender.keyHash;
}

/** Caches the hashes of the last sender: senders are few, and each post needs its hash three times. */
let lastSender = ofSender('');

function ofSender(id: string): { readonly id: string; readonly hash: number; key: string; keyHash: number } {
  const hash = hashOn(0, id);
  return { id, hash, key: '', keyHash: hash };
}

function hashOn(start: number, text: string): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1e995);
    hash ^= hash >>> 13;
  }
  return hash;
}

/** A repeat may name agents that the stored audience lacks, if those agents cannot receive the envelope. */
export function isSameContent(record: KeyRecord, draft: Draft, canReceive: (agentId: string) => boolean): boolean {
  if (record.digest !== contentDigest(draft)) return false;
  if (record.audience === null || draft.audience === null) return record.audience === draft.audience;
  const stored = new Set(record.audience);
  const named = new Set(draft.audience);
  return [...stored].every((id) => named.has(id)) && [...named].every((id) => stored.has(id) || !canReceive(id));
}

/** A 106-bit digest, not cryptographic: a sender could only collide with itself. */
export function digestText(text: string): string {
  return hash53(text, 0x9e3779b9) + hash53(text, 0x85ebca6b);
}

function contentDigest(draft: Draft): string {
  const { event_type, event_data, causation_id, task_id, priority, ttl_seconds } = draft;
  return digestText(canonicalJson([event_type, event_data, causation_id, task_id, priority, ttl_seconds]));
}

function hash53(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0');
}
