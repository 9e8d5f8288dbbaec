/** The small ports of the hub: time, chance and logging come from outside. (The store and the link have files of their own.) */

export interface Clock {
  /** Wall time in milliseconds; may jump. */
  now(): number;
  /** Milliseconds that never go back and do not follow the wall clock. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the result cancels it. */
  after(ms: number, run: () => void): () => void;
}

export interface Ids {
  /** 32 lower-case hex digits that nobody can guess. */
  hex32(): string;
}

export interface Log {
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
}

export const silentLog: Log = {
  info() {},
  warn() {},
  error() {},
};
