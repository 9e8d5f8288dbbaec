/**
 * Reading what has changed, in pages and over as many looks as it takes. Pages come in the order in which sessions were made, not
 * in that of their changes: so a sweep asks for everything since one time until there is no further page, and the next one asks
 * since the newest change that was known when this one began. Once nothing new came for a few sweeps, only what is newer is
 * asked for: however much changed at last, an idle hub is asked for one page at a time. Pure.
 */

import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';

export interface Sweep {
  /** Changes since this time are read; '' = nothing was read yet. */
  readonly since: string;
  /** Where it goes on; null = at its beginning. */
  readonly after: string | null;
  /** Where the next one begins. */
  readonly next: string;
  /** The newest change of all that were read. */
  readonly seen: string;
  /** Whole sweeps in a row that brought nothing newer. */
  readonly repeats: number;
}

export const FIRST_SWEEP: Sweep = { since: '', after: null, next: '', seen: '', repeats: 0 };

/** What was stamped before something else may be seen after it. */
const SLACK_MS = 1000;
/** After so many sweeps over the same time, all that was stamped before its end was seen. */
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

/** After the first page of the list: it is as of its newest change at least. */
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
