/** How long a service wants to be left alone, by its headers. Pure. */

import { msFromHttpDate } from '../../core/time.ts';

/** `retry-after-ms`, `retry-after` in seconds or as a date, the longer of both; null when neither says anything. */
export function retryAfterMs(headers: { get(name: string): string | null }, nowMs: number): number | null {
  const exact = countOf(headers.get('retry-after-ms'));
  const usual = usualMs(headers.get('retry-after')?.trim() ?? '', nowMs);
  return exact === null || usual === null ? (exact ?? usual) : Math.max(exact, usual);
}

function usualMs(value: string, nowMs: number): number | null {
  const seconds = countOf(value);
  if (seconds !== null) return Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER);
  const at = msFromHttpDate(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

function countOf(text: string | null): number | null {
  const value = text?.trim() ?? '';
  return /^\d{1,100}(?:\.\d{1,9})?$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : null;
}
