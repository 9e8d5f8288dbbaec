/** What an entry of the feed tells, in words, and which entries somebody wants to see. Pure. */

import type { FeedEntry } from '../../core/console-operations.ts';

export const SHOWN = {
  happened: 'What happened',
  violation: 'Violations',
  audit: 'Audit',
  all: 'All, with looks',
} as const;

export type Shown = keyof typeof SHOWN;

/** Somebody who looks, as this page does all the time, would drown the rest. */
const LOOK = 'session_observed';

export function isShown({ kind, what }: FeedEntry, shown: Shown): boolean {
  if (shown === 'all') return true;
  return shown === 'happened' ? what !== LOOK : kind === shown;
}

export function detailWords(detail: FeedEntry['detail']): string {
  const inWords = detail.detail ?? detail.reason;
  if (typeof inWords === 'string' && inWords !== '') return inWords;
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
