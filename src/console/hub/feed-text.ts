/** Formats and filters feed entries. Pure. */

import type { FeedEntry } from '../../core/protocol/operations/console-hub.ts';
import type { TrackRecord } from '../../core/records/identity/resume.ts';
import { duration } from '../time/time-text.ts';

export const FEED_FILTERS = {
  happened: 'Activity',
  violation: 'Violations',
  audit: 'Audit',
  all: 'All, with observations',
} as const;

export type FeedFilter = keyof typeof FEED_FILTERS;

/** Hidden by default: every reader, such as this page, causes many of these entries. */
const OBSERVATION = 'session_observed';

export function passesFilter({ kind, what }: FeedEntry, shown: FeedFilter): boolean {
  if (shown === 'all') return true;
  return shown === 'happened' ? what !== OBSERVATION : kind === shown;
}

export function detailText(detail: FeedEntry['detail']): string {
  const text = detail.detail ?? detail.reason;
  if (typeof text === 'string' && text !== '') return text;
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

export function observedText([capability, seen]: readonly [string, TrackRecord]): string {
  const { n, completed, failed, expired, p50_latency_ms: ms } = seen;
  const median = ms === null ? '' : `; median ${ms < 1000 ? `${ms} ms` : duration(ms)}`;
  return `${capability}: ${n} ${n === 1 ? 'task' : 'tasks'}, ${completed} completed, ${failed} failed, ${expired} expired${median}`;
}
