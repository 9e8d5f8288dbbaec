/**
 * Reading what has changed, in pages and over as many looks as it takes. Pages come in the order in which sessions were made, not
 * in that of their changes: so a sweep asks for everything since one time until there is no further page, and the next one asks
 * since the newest change that was known when this one began. Pure.
 */

import type { SessionSummary } from '../../core/operations.ts';

export interface Sweep {
  /** Changes since this time are read; '' = nothing was read yet. */
  readonly since: string;
  /** Where it goes on; null = at its beginning. */
  readonly after: string | null;
  /** Where the next one begins. */
  readonly next: string;
}

export const FIRST_SWEEP: Sweep = { since: '', after: null, next: '' };

/** What was stamped before something else may be seen after it. */
const SLACK_MS = 1000;

export interface Page {
  readonly sessions: readonly SessionSummary[];
  readonly next: string | null;
}

export function askedSince({ since }: Sweep): string | undefined {
  return since === '' ? undefined : new Date(Date.parse(since) - SLACK_MS).toISOString();
}

export function withSwept({ since, after, next }: Sweep, page: Page): Sweep {
  const newest = after === null ? newestChange(since, page) : next;
  return page.next === null ? { since: newest, after: null, next: newest } : { since, after: page.next, next: newest };
}

/** After the first page of the list: it is as of its newest change at least. */
export function sweepFrom(sweep: Sweep, page: Page): Sweep {
  if (sweep.since !== '') return sweep;
  const since = newestChange('', page);
  return { since, after: null, next: since };
}

function newestChange(known: string, { sessions }: Page): string {
  return [known, ...sessions.map(({ changed_at }) => changed_at)].sort().at(-1) ?? known;
}
