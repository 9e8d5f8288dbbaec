/** When a call that failed is tried again: one table, and what the service asks for as the least. Pure. */

import type { Failure, RetryRow } from './client/failure.ts';

/** The waits of each row, one for each further try. */
export const RETRY_WAITS_MS: Readonly<Record<RetryRow, readonly number[]>> = {
  rate_limit: [1_000, 2_000, 4_000, 8_000, 16_000],
  server: [2_000, 4_000, 8_000],
  network: [5_000],
  malformed: [0],
};

/** How often each row was used in this call. */
export type Retries = Readonly<Record<RetryRow, number>>;

export const NO_RETRIES: Retries = { rate_limit: 0, server: 0, network: 0, malformed: 0 };

/** How long to wait before the next try, and how often that row has been used with it; null = give up. */
export function nextTry(
  retries: Retries,
  failure: Failure,
): { readonly waitMs: number; readonly retries: Retries } | null {
  const { row, retryAfterMs } = failure;
  if (row === null) return null;
  const waitMs = RETRY_WAITS_MS[row][retries[row]];
  if (waitMs === undefined) return null;
  return { waitMs: Math.max(waitMs, retryAfterMs ?? 0), retries: { ...retries, [row]: retries[row] + 1 } };
}

export function countOf(retries: Retries): number {
  return retries.rate_limit + retries.server + retries.network + retries.malformed;
}
