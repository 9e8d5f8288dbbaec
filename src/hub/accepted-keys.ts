/**
 * The keys a session has accepted, those of staged units too: of each only a hash and the seq to look at. A session may
 * accept a million, and a repeat of an old one is rare.
 */

import type { Entry, Envelope } from '../core/records/session/envelope.ts';
import { type KeyRecord, keyHash, keyRecord } from '../core/records/session/keys.ts';

const none: readonly number[] = [];

export class AcceptedKeys {
  /** By hash. Two keys may have one hash, and a peer could make them so: then both seqs are kept. */
  private readonly places = new Map<number, number | readonly number[]>();

  /** From pairs of hash and seq, as `flat` gives them. */
  static from(pairs: readonly number[]): AcceptedKeys {
    const keys = new AcceptedKeys();
    for (let i = 0; i + 1 < pairs.length; i += 2) keys.put(pairs[i] ?? 0, pairs[i + 1] ?? 0);
    return keys;
  }

  /** Pairs of hash and seq of everything up to a seq. */
  flat(upTo: number): number[] {
    const pairs: number[] = [];
    for (const [hash, places] of this.places) {
      if (typeof places === 'number') {
        if (places <= upTo) pairs.push(hash, places);
      } else {
        for (const seq of places) if (seq <= upTo) pairs.push(hash, seq);
      }
    }
    return pairs;
  }

  add(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      const { sender_id, idempotency_key: key, seq } = envelope;
      if (key !== null) this.put(keyHash(sender_id, key), seq);
    }
  }

  /** They were staged and will not become durable. */
  drop(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      const { sender_id, idempotency_key: key, seq } = envelope;
      if (key !== null) this.take(keyHash(sender_id, key), seq);
    }
  }

  /** The seqs of entries that may have this key. */
  placesOf(senderId: string, key: string): readonly number[] {
    const places = this.places.get(keyHash(senderId, key));
    return places === undefined ? none : typeof places === 'number' ? [places] : places;
  }

  private put(hash: number, seq: number): void {
    const known = this.places.get(hash);
    if (known === undefined) this.places.set(hash, seq);
    else this.places.set(hash, typeof known === 'number' ? [known, seq] : [...known, seq]);
  }

  private take(hash: number, seq: number): void {
    const known = this.places.get(hash);
    if (known === seq) this.places.delete(hash);
    else if (typeof known === 'object')
      this.places.set(
        hash,
        known.filter((other) => other !== seq),
      );
  }
}

/** The record of this envelope, if it was indeed accepted under that key. */
export function recordUnder(envelope: Envelope | undefined, senderId: string, key: string): KeyRecord | undefined {
  if (envelope === undefined || envelope.sender_id !== senderId || envelope.idempotency_key !== key) return undefined;
  return keyRecord(envelope);
}
