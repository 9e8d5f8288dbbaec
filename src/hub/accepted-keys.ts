/**
 * The keys a session has accepted. Those of staged units are known in full; of the durable ones only a hash and the seq
 * to look at: a session may accept a million, and a repeat of an old one is rare.
 */

import type { Entry, Envelope } from '../core/envelope.ts';
import { type KeyRecord, keyHash, keyRecord } from '../core/keys.ts';

const none: readonly number[] = [];

export class AcceptedKeys {
  /** By hash; the envelopes themselves, because they are in memory anyway and few are ever asked for. */
  private readonly staged = new Map<number, readonly Envelope[]>();
  /** By hash. Two keys may have one hash, and a peer could make them so: then both seqs are kept. */
  private readonly places: Map<number, number | readonly number[]>;

  private constructor(places: Map<number, number | readonly number[]>) {
    this.places = places;
  }

  /** From pairs of hash and seq, as `flat` gives them. */
  static from(pairs: readonly number[]): AcceptedKeys {
    const keys = new AcceptedKeys(new Map());
    for (let i = 0; i + 1 < pairs.length; i += 2) keys.put(pairs[i] ?? 0, pairs[i + 1] ?? 0);
    return keys;
  }

  /** Pairs of hash and seq of everything durable. */
  flat(): number[] {
    const pairs: number[] = [];
    for (const [hash, seqs] of this.places)
      for (const seq of typeof seqs === 'number' ? [seqs] : seqs) pairs.push(hash, seq);
    return pairs;
  }

  stage(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      const { sender_id, idempotency_key: key } = envelope;
      if (key === null) continue;
      const hash = keyHash(sender_id, key);
      const same = this.staged.get(hash);
      this.staged.set(hash, same === undefined ? [envelope] : [...same, envelope]);
    }
  }

  /** They are durable: where they are is enough. */
  settle(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      const { sender_id, idempotency_key: key, seq } = envelope;
      if (key === null) continue;
      const hash = keyHash(sender_id, key);
      const same = this.staged.get(hash);
      if (same === undefined || same.length === 1) this.staged.delete(hash);
      else
        this.staged.set(
          hash,
          same.filter((other) => other.seq !== seq),
        );
      this.put(hash, seq);
    }
  }

  /** Nothing staged will become durable. */
  dropStaged(): void {
    this.staged.clear();
  }

  stagedUnder(senderId: string, key: string): KeyRecord | undefined {
    if (this.staged.size === 0) return undefined;
    const same = this.staged.get(keyHash(senderId, key));
    return recordUnder(
      same?.find((envelope) => isUnder(envelope, senderId, key)),
      senderId,
      key,
    );
  }

  /** The seqs of durable entries that may have this key. */
  placesOf(senderId: string, key: string): readonly number[] {
    if (this.places.size === 0) return none;
    const seqs = this.places.get(keyHash(senderId, key));
    return seqs === undefined ? none : typeof seqs === 'number' ? [seqs] : seqs;
  }

  private put(hash: number, seq: number): void {
    const known = this.places.get(hash);
    if (known === undefined) this.places.set(hash, seq);
    else this.places.set(hash, [...(typeof known === 'number' ? [known] : known), seq]);
  }
}

/** The record of this envelope, if it was indeed accepted under that key. */
export function recordUnder(envelope: Envelope | undefined, senderId: string, key: string): KeyRecord | undefined {
  return envelope !== undefined && isUnder(envelope, senderId, key) ? keyRecord(envelope) : undefined;
}

function isUnder(envelope: Envelope, senderId: string, key: string): boolean {
  return envelope.sender_id === senderId && envelope.idempotency_key === key;
}
