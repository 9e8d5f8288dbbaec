/** The part of a log that the page holds: a run of envelopes, bounded however long the session is. Pure. */

import type { Envelope } from '../../../core/records/session/envelope.ts';

export interface LogWindow {
  /** The oldest first, and none left out between them that may be read. */
  readonly envelopes: readonly Envelope[];
  /** The newest there is, as far as is known. */
  readonly headSeq: number;
  /** There is something before, or behind, that is not held. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

export const EMPTY_LOG: LogWindow = { envelopes: [], headSeq: 0, hasEarlier: false, hasLater: false };

/** So many are kept; a few more come and go at once, so that not every envelope moves all others. */
export const MAX_HELD = 1000;
const SLACK = 200;

export function firstSeq({ envelopes }: LogWindow): number {
  return envelopes[0]?.seq ?? 1;
}

export function lastSeq({ envelopes }: LogWindow): number {
  return envelopes.at(-1)?.seq ?? 0;
}

/** What came live, in order. Whoever reads further up keeps what is there; what is new then waits at the hub. */
export function withLive(log: LogWindow, arrived: readonly Envelope[], isFollowing: boolean): LogWindow {
  const headSeq = Math.max(log.headSeq, arrived.at(-1)?.seq ?? 0);
  if (log.hasLater) return { ...log, headSeq };
  const last = lastSeq(log);
  const envelopes = [...log.envelopes, ...arrived.filter(({ seq }) => seq > last)];
  return bounded({ ...log, envelopes, headSeq }, isFollowing ? 'newest' : 'oldest');
}

/** A page as the hub gave it. */
export interface ReadPage {
  readonly envelopes: readonly Envelope[];
  /** There is more in the direction it was read. */
  readonly next: number | null;
  readonly head_seq: number;
}

/** A page that was read backwards from the newest, or from a seq: it takes the place of what was held. */
export function readBack(page: ReadPage, isNewest: boolean): LogWindow {
  const envelopes = [...page.envelopes].reverse();
  return { envelopes, headSeq: page.head_seq, hasEarlier: page.next !== null, hasLater: !isNewest };
}

/** The newest page, read while others came: those that are not in it are still to be read. */
export function withNewest(log: LogWindow, page: ReadPage): LogWindow {
  const headSeq = Math.max(log.headSeq, page.head_seq);
  return { ...readBack(page, headSeq === page.head_seq), headSeq };
}

/** A page that was read backwards from the first that is held. */
export function withEarlier(log: LogWindow, page: ReadPage): LogWindow {
  const first = firstSeq(log);
  const before = [...page.envelopes].reverse().filter(({ seq }) => seq < first);
  const envelopes = [...before, ...log.envelopes];
  const headSeq = Math.max(log.headSeq, page.head_seq);
  return bounded({ ...log, envelopes, headSeq, hasEarlier: page.next !== null }, 'oldest');
}

/** A page that was read forwards from the last that is held. */
export function withLater(log: LogWindow, page: ReadPage): LogWindow {
  const last = lastSeq(log);
  const envelopes = [...log.envelopes, ...page.envelopes.filter(({ seq }) => seq > last)];
  const headSeq = Math.max(log.headSeq, page.head_seq);
  return bounded({ ...log, envelopes, headSeq, hasLater: page.next !== null }, 'newest');
}

/** The same read again: what was redacted since takes the place of what was said. */
export function withRedacted(log: LogWindow, read: readonly Envelope[]): LogWindow {
  const hidden = new Map(read.filter(({ redacted }) => redacted !== undefined).map((one) => [one.seq, one]));
  const isNew = ({ seq, redacted }: Envelope): boolean => redacted === undefined && hidden.has(seq);
  if (!log.envelopes.some(isNew)) return log;
  return { ...log, envelopes: log.envelopes.map((one) => (isNew(one) ? (hidden.get(one.seq) ?? one) : one)) };
}

function bounded(log: LogWindow, keep: 'oldest' | 'newest'): LogWindow {
  if (log.envelopes.length <= MAX_HELD + SLACK) return log;
  return keep === 'newest'
    ? { ...log, envelopes: log.envelopes.slice(-MAX_HELD), hasEarlier: true }
    : { ...log, envelopes: log.envelopes.slice(0, MAX_HELD), hasLater: true };
}
