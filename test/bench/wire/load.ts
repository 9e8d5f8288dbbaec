/** Posts to rooms: in a closed loop for throughput, in an open one for latency at a given rate. */

import type { Listener } from './party.ts';
import type { Room } from './rooms.ts';

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

interface Post {
  /** Its missing answer and deliveries. */
  left: number;
  readonly done: () => void;
  /** When it was due, and where its latency goes; null = nowhere. */
  readonly dueAt: number;
  readonly latencies: number[] | null;
}

/** A slower answer is an error of the bench. */
const PATIENCE_MS = 20_000;

export class Load implements Listener {
  readonly #open = new Map<string, Post>();
  #posted = 0;
  #idle: (() => void) | null = null;
  #refused = 0;
  /** In an open loop: sends what is due. */
  #sendDue: (() => void) | null = null;
  #ticking: NodeJS.Timeout | undefined;

  /** Posts per second that were answered and fully delivered, with `inFlight` open. */
  async closed(rooms: readonly Room[], inFlight: number, ms: number): Promise<number> {
    const begin = performance.now();
    let [done, isOver] = [0, false];
    const begun = (slot: number): void => {
      const next = () => {
        if (isOver) return;
        done += 1;
        begun(slot + inFlight);
      };
      this.#post(rooms[slot % rooms.length], begin, null, next);
    };
    for (let slot = 0; slot < inFlight; slot++) begun(slot);
    await new Promise((resolve) => setTimeout(resolve, ms));
    isOver = true;
    const rate = done / ((performance.now() - begin) / 1000);
    await this.#settled();
    return rate;
  }

  /** Posts at a fixed `rate`, whatever the server does; latency counts from when each was due. */
  async paced(rooms: readonly Room[], rate: number, ms: number): Promise<Latency> {
    const latencies: number[] = [];
    const [count, everyMs] = [Math.ceil((rate * ms) / 1000), 1000 / rate];
    const begin = performance.now() + 1;
    let sent = 0;
    await new Promise<void>((resolve) => {
      this.#sendDue = () => {
        for (const now = performance.now(); sent < count && begin + sent * everyMs <= now; sent++) {
          this.#post(rooms[sent % rooms.length], begin + sent * everyMs, latencies, () => {});
        }
        if (sent === count) resolve();
      };
      // Also on every answer. Polling the clock constantly would take a processor from the server.
      this.#ticking = setInterval(this.#sendDue, 1);
    });
    clearInterval(this.#ticking);
    this.#sendDue = null;
    await this.#settled();
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
  }

  answered(key: string, ok: boolean): void {
    const post = this.#open.get(key);
    if (post === undefined) return;
    // In an open loop a rejection counts as very late; in a closed one it is an error.
    if (!ok && post.latencies === null) this.#refused += 1;
    post.latencies?.push(ok ? performance.now() - post.dueAt : PATIENCE_MS);
    this.#sendDue?.();
    // Rejected posts are not delivered.
    if (ok) this.#less(key, post);
    else this.#finish(key, post);
  }

  delivered(key: string): void {
    const post = this.#open.get(key);
    if (post !== undefined) this.#less(key, post);
  }

  #post(room: Room | undefined, dueAt: number, latencies: number[] | null, done: () => void): void {
    if (room === undefined) throw new Error('there are no rooms');
    const key = `k${this.#posted++}`;
    this.#open.set(key, { left: room.parties.length, done, dueAt, latencies });
    room.parties[0].post(room.sessionId, key);
  }

  #less(key: string, post: Post): void {
    post.left -= 1;
    if (post.left === 0) this.#finish(key, post);
  }

  #finish(key: string, post: Post): void {
    this.#open.delete(key);
    post.done();
    if (this.#open.size === 0) this.#idle?.();
  }

  async #settled(): Promise<void> {
    if (this.#open.size > 0) {
      await new Promise<void>((resolve, reject) => {
        const late = () => reject(new Error(`${this.#open.size} posts were not answered and delivered`));
        const timer = setTimeout(late, PATIENCE_MS);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#idle = null;
    }
    if (this.#refused > 0) throw new Error(`${this.#refused} posts were refused`);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
