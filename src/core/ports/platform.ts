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

/** Secrets and what is kept of them. */
export interface Secrets {
  /** A new one, url-safe, of at least 192 bits. */
  make(): string;
  /** One way. */
  digest(secret: string): string;
  /** In a time that does not tell where they differ. */
  same(a: string, b: string): boolean;
}

export interface Logger {
  /** What one looks at when something is wrong; who has none is not told. */
  debug?(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
}

/** Follows posts across programs, by the `traceparent` of their envelopes. */
export interface Tracing {
  /** A post arrived. `traceparent` is its sender's. */
  accepting(post: {
    readonly session_id: string;
    readonly event_type: string;
    readonly traceparent: string | null;
  }): PostTrace;
}

export interface PostTrace {
  /** What the envelope gets if its sender gave none; null = nothing. */
  readonly traceparent: string | null;
  accepted(answer: { readonly envelope_id: string; readonly seq: number }): void;
  refused(code: string): void;
}

/** What is used of an AbortSignal that is given to us; every platform's own is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal of ours: the platform's AbortSignal where its type is known, so that `fetch` takes it. */
// biome-ignore lint/style/noRestrictedGlobals: only its type is looked at
export type OwnSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : CancelSignal;

export const silentLog: Logger = {
  info() {},
  warn() {},
  error() {},
};
