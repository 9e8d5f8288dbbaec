/** Holds items that nobody has taken yet, and waiters for the next item. The producer bounds the number of items. */

import { asError } from '../../core/lib/errors.ts';
import type { CancelSignal } from '../../core/ports/platform.ts';
import { type OptionChecks, objectWithMethods, optional } from './option-checks.ts';

interface Waiter<T> {
  wants(item: T): boolean;
  /** null if the inbox was closed. */
  resolve(item: T | null): void;
  reject(error: Error): void;
}

export interface WaitOptions {
  readonly signal?: CancelSignal | undefined;
}

export const WAIT_OPTIONS: OptionChecks<WaitOptions> = {
  signal: optional({ ...objectWithMethods('addEventListener', 'removeEventListener'), expected: 'an AbortSignal' }),
};

export class Inbox<T> {
  private readonly taken: (item: T) => void;
  private readonly items = new Set<T>();
  private readonly waiters = new Set<Waiter<T>>();
  private closed = false;

  /** `taken` is called for each item that a waiter takes. */
  constructor(taken: (item: T) => void) {
    this.taken = taken;
  }

  get isEmpty(): boolean {
    return this.items.size === 0;
  }

  /** Gives the item to the first waiter that wants it; returns false if there is none. */
  offer(item: T): boolean {
    for (const waiter of this.waiters) {
      if (!this.isWanted(item, waiter)) continue;
      this.give(waiter, item);
      this.taken(item);
      return true;
    }
    return false;
  }

  /** Resolves every waiter that wants the item; the item does not count as taken. */
  announce(item: T): void {
    for (const waiter of [...this.waiters]) if (this.isWanted(item, waiter)) this.give(waiter, item);
  }

  put(item: T): void {
    this.items.add(item);
  }

  remove(item: T): void {
    this.items.delete(item);
  }

  those(isLike: (item: T) => boolean): readonly T[] {
    return [...this.items].filter(isLike);
  }

  shift(): T | undefined {
    const [first] = this.items;
    if (first !== undefined) this.items.delete(first);
    return first;
  }

  /** Takes the next wanted item, present or future; null if the inbox closes without one. */
  wait(wants: (item: T) => boolean, { signal }: WaitOptions = {}): Promise<T | null> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    for (const item of this.items) {
      if (!wants(item)) continue;
      this.items.delete(item);
      this.taken(item);
      return Promise.resolve(item);
    }
    if (this.closed) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.waiters.delete(waiter);
        reject(signal?.reason);
      };
      const settled = (): void => signal?.removeEventListener('abort', abort);
      const waiter: Waiter<T> = {
        wants,
        resolve: (item) => {
          settled();
          resolve(item);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.waiters.add(waiter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Resolves all waiters with null. Present items can still be taken. */
  close(): void {
    this.closed = true;
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const { resolve } of waiters) resolve(null);
  }

  reopen(): void {
    this.closed = false;
  }

  /** Tests a waiter's predicate; if it throws, only that waiter rejects. */
  private isWanted(item: T, waiter: Waiter<T>): boolean {
    try {
      return waiter.wants(item);
    } catch (thrown) {
      this.waiters.delete(waiter);
      waiter.reject(asError(thrown));
      return false;
    }
  }

  private give(waiter: Waiter<T>, item: T): void {
    this.waiters.delete(waiter);
    waiter.resolve(item);
  }
}
