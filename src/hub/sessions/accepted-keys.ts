/** Keeps the idempotency keys a session has accepted or staged, each as a hash and a seq, because there may be a million. */

import { asError } from '../../core/lib/errors.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { type KeyRecord, keyHash, keyRecord } from '../../core/records/session/keys.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { storeFailedError } from '../log/backlog.ts';
import { readEntry } from '../log/read-pages.ts';

const none: readonly number[] = [];

export class AcceptedKeys {
  /** Seqs by hash of the key. If hashes collide (even on purpose), the seqs of all colliding keys are kept. */
  private readonly places = new Map<number, number | readonly number[]>();

  static from(pairs: readonly number[]): AcceptedKeys {
    const keys = new AcceptedKeys();
    for (let i = 0; i + 1 < pairs.length; i += 2) keys.put(pairs[i] ?? 0, pairs[i + 1] ?? 0);
    return keys;
  }

  /** The keys up to a seq, as a flat list of hash and seq pairs. */
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

  /** Forgets entries that were staged and dropped. */
  drop(entries: readonly Entry[]): void {
    for (const { envelope } of entries) {
      const { sender_id, idempotency_key: key, seq } = envelope;
      if (key !== null) this.take(keyHash(sender_id, key), seq);
    }
  }

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
    if (typeof known !== 'object') return;
    const others = known.filter((other) => other !== seq);
    this.places.set(hash, others);
  }
}

export interface KeyedLog {
  readonly logId: string;
  readonly store: Store;
  entryAt(seq: number): Entry | undefined;
}

/** Finds the post accepted under a key. If only the log has it, later requests to the session wait in order while it is read. */
export class KeyLookup {
  private readonly keys: AcceptedKeys;
  private readonly log: KeyedLog;
  private reading = false;
  /** Requests that wait for the read; bounded by maxOpenRequests. */
  private readonly behind: (() => void)[] = [];

  constructor(keys: AcceptedKeys, log: KeyedLog) {
    this.keys = keys;
    this.log = log;
  }

  get isReading(): boolean {
    return this.reading;
  }

  /** The post accepted under a key, if it is in memory. */
  inMemory(senderId: string, key: string | null): KeyRecord | undefined {
    if (key === null) return undefined;
    for (const seq of this.keys.placesOf(senderId, key)) {
      const record = recordUnder(this.log.entryAt(seq)?.envelope, senderId, key);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** True if no entry in memory has this key, but one in the log may. */
  mustRead(senderId: string, key: string | null): boolean {
    if (key === null || this.keys.placesOf(senderId, key).length === 0) return false;
    return this.inMemory(senderId, key) === undefined && this.unread(senderId, key).length > 0;
  }

  /** Calls `ask` now, or in order after a read that is running. */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (!this.reading) return ask();
    return new Promise((resolve, reject) => this.behind.push(() => ask().then(resolve, reject)));
  }

  /** Reads the post accepted under the key, then calls `ask`. Call it only within `inTurn`. */
  readThen<T>(senderId: string, key: string, ask: (earlier: KeyRecord | undefined) => Promise<T>): Promise<T> {
    this.reading = true;
    return new Promise<T>((resolve, reject) => {
      const goOn = (own: () => void): void => {
        this.reading = false;
        own();
        // A waiting request may start another read; the others then wait for it.
        while (!this.reading && this.behind.length > 0) this.behind.shift()?.();
      };
      this.read(senderId, key).then(
        (earlier) => goOn(() => void ask(earlier).then(resolve, reject)),
        (thrown: unknown) => goOn(() => reject(storeFailedError(asError(thrown), 'refused'))),
      );
    });
  }

  private unread(senderId: string, key: string): readonly number[] {
    return this.keys.placesOf(senderId, key).filter((seq) => this.log.entryAt(seq) === undefined);
  }

  /** Reads the candidates until one has the key. More may be added while the first are read. */
  private async read(senderId: string, key: string): Promise<KeyRecord | undefined> {
    const { logId, store } = this.log;
    const read = new Set<number>();
    const next = () => this.unread(senderId, key).find((seq) => !read.has(seq));
    for (let seq = next(); seq !== undefined; seq = next()) {
      read.add(seq);
      const entry = await readEntry(store, logId, seq);
      const record = recordUnder(entry.envelope, senderId, key);
      if (record !== undefined) return record;
    }
    return undefined;
  }
}

function recordUnder(envelope: Envelope | undefined, senderId: string, key: string): KeyRecord | undefined {
  if (envelope === undefined || envelope.sender_id !== senderId || envelope.idempotency_key !== key) return undefined;
  return keyRecord(envelope);
}
