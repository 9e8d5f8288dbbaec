/** The platform ports of the hub: time, randomness, secrets, logging and tracing. */

export interface Clock {
  /** Wall time in milliseconds; may jump. */
  now(): number;
  /** Milliseconds on a clock that never goes back, independent of wall time. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
}

export interface Ids {
  /** 32 unpredictable lower-case hex digits. */
  hex32(): string;
}

export interface Secrets {
  /** Makes a url-safe secret of at least 192 bits. */
  make(): string;
  /** A one-way digest. */
  digest(secret: string): string;
  /** Compares in constant time. */
  same(a: string, b: string): boolean;
}

export interface Logger {
  /** Logs details for troubleshooting; if absent, they are discarded. */
  debug?(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
}

/** Traces posts across programs by the `traceparent` of their envelopes. */
export interface Tracing {
  /** Starts tracing a post; `traceparent` is the value that the sender set. */
  accepting(post: {
    readonly session_id: string;
    readonly event_type: string;
    readonly traceparent: string | null;
  }): PostTrace;
}

export interface PostTrace {
  /** The value to set on the envelope if its sender set none; null leaves it unset. */
  readonly traceparent: string | null;
  accepted(answer: { readonly envelope_id: string; readonly seq: number }): void;
  refused(code: string): void;
}

/** The part of an AbortSignal we use; every platform's signal has it. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The platform's AbortSignal where its type is known, so that `fetch` accepts it. */
// biome-ignore lint/style/noRestrictedGlobals: only its type is used
export type OwnSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : CancelSignal;

export const silentLog: Logger = {
  info() {},
  warn() {},
  error() {},
};
