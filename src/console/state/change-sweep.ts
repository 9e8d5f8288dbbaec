/**
 * Tracks sweeps over changed sessions. Pages are ordered by creation, not by change, so a sweep reads all pages of
 * changes since one time; the next sweep starts from the newest change known when this one began. Pure.
 */

import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';

export interface Sweep {
  /** This sweep reads changes since this time; '' before the first sweep. */
  readonly since: string;
  /** The cursor of the next page; null for the first page. */
  readonly after: string | null;
  /** The time from which the next sweep reads changes. */
  readonly next: string;
  /** The time of the newest change read. */
  readonly seen: string;
  /** Complete sweeps in a row without a newer change. */
  readonly repeats: number;
}

export const FIRST_SWEEP: Sweep = { since: '', after: null, next: '', seen: '', repeats: 0 };

/** Overlap of two sweeps: a change may become visible after one with a later timestamp. */
const SLACK_MS = 1000;
/** After this many repeats, all earlier changes have been seen: only newer ones are requested. */
const MAX_REPEATS = 3;

export interface Page {
  readonly sessions: readonly SessionSummary[];
  readonly next: string | null;
}

export function askedSince({ since, repeats }: Sweep): string | undefined {
  if (since === '') return undefined;
  return new Date(Date.parse(since) + (repeats < MAX_REPEATS ? -SLACK_MS : 1)).toISOString();
}

export function withSwept(sweep: Sweep, page: Page): Sweep {
  const { since, after, repeats } = sweep;
  const seen = newestChange(sweep.seen, page);
  const next = after === null ? seen : sweep.next;
  if (page.next !== null) return { since, after: page.next, next, seen, repeats };
  return { since: next, after: null, next, seen, repeats: next === since ? Math.min(repeats + 1, MAX_REPEATS) : 0 };
}

/** Starts sweeping from the newest change in the first page of the list. */
export function sweepFrom(sweep: Sweep, page: Page): Sweep {
  if (sweep.since !== '') return sweep;
  const since = newestChange('', page);
  return { since, after: null, next: since, seen: since, repeats: 0 };
}

export function isSameSweep(one: Sweep, other: Sweep): boolean {
  return (
    one.since === other.since && one.after === other.after && one.seen === other.seen && one.repeats === other.repeats
  );
}

function newestChange(known: string, { sessions }: Page): string {
  return [known, ...sessions.map(({ changed_at }) => changed_at)].sort().at(-1) ?? known;
}
