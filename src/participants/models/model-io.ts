/** What calls of models need from outside: a way to ask over HTTP, and time. */

import type { Clock, OwnSignal } from '../../core/ports/platform.ts';

export interface ModelIo {
  /** The platform's own `fetch` is one. */
  readonly fetch: ModelFetch;
  readonly clock: Clock;
}

export type ModelFetch = (url: string, init: ModelFetchInit) => Promise<ModelResponse>;

export interface ModelFetchInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  /** A redirect would take the key along to somebody else. */
  readonly redirect: 'manual';
  readonly signal: OwnSignal;
}

export interface ModelResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): ByteReader } | null;
}

export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}
