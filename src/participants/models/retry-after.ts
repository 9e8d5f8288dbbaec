/** How long a service wants to be left alone, by its headers. Pure. */

import { msFromHttpDate } from '../../core/time.ts';

/** `retry-after-ms`, or `retry-after` in seconds or as a date; null when neither says anything. */
export function retryAfterMs(headers: { get(name: string): string | null }, nowMs: number): number | null {
  const exact = countOf(headers.get('retry-after-ms'));
  if (exact !== null) return exact;
  const value = headers.get('retry-after')?.trim() ?? '';
  const seconds = countOf(value);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const at = msFromHttpDate(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

function countOf(text: string | null): number | null {
  const value = text?.trim() ?? '';
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(value) ? Number(value) : null;
}
