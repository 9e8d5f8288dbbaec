/** What an entry of the feed tells, in words, and which entries somebody wants to see. Pure. */

import type { FeedEntry } from '../../core/protocol/operations/console-hub.ts';
import type { TrackRecord } from '../../core/records/identity/resume.ts';
import { duration } from '../time/time-text.ts';

export const FEED_FILTERS = {
  happened: 'What happened',
  violation: 'Violations',
  audit: 'Audit',
  all: 'All, with looks',
} as const;

export type FeedFilter = keyof typeof FEED_FILTERS;

/** Somebody who looks, as this page does all the time, would drown the rest. */
const LOOK = 'session_observed';

export function passesFilter({ kind, what }: FeedEntry, shown: FeedFilter): boolean {
  if (shown === 'all') return true;
  return shown === 'happened' ? what !== LOOK : kind === shown;
}

export function detailText(detail: FeedEntry['detail']): string {
  const inWords = detail.detail ?? detail.reason;
  if (typeof inWords === 'string' && inWords !== '') return inWords;
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

export function observedText([capability, seen]: readonly [string, TrackRecord]): string {
  const { n, completed, failed, expired, p50_latency_ms: halfMs } = seen;
  const half = halfMs === null ? '' : `; half of them within ${halfMs < 1000 ? `${halfMs} ms` : duration(halfMs)}`;
  return `${capability}: ${n} ${n === 1 ? 'task' : 'tasks'}, ${completed} completed, ${failed} failed, ${expired} expired${half}`;
}
