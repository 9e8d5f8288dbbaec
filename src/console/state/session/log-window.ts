/** Holds a part of a log for the page: consecutive envelopes, limited in number. Pure. */

import type { Envelope } from '../../../core/records/session/envelope.ts';

export interface LogWindow {
  /** Oldest first, without gaps between the envelopes that this identity may read. */
  readonly envelopes: readonly Envelope[];
  /** The newest known seq. */
  readonly headSeq: number;
  /** True if the log has earlier (`hasEarlier`) or later (`hasLater`) envelopes outside the window. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

export const EMPTY_LOG: LogWindow = { envelopes: [], headSeq: 0, hasEarlier: false, hasLater: false };

/** Number of envelopes kept. The slack avoids dropping an old envelope for every new one. */
export const MAX_HELD = 1000;
const SLACK = 200;

export function firstSeq({ envelopes }: LogWindow): number {
  return envelopes[0]?.seq ?? 1;
}

export function lastSeq({ envelopes }: LogWindow): number {
  return envelopes.at(-1)?.seq ?? 0;
}

/** Adds live envelopes. Unless `isFollowing`, a full window keeps its old envelopes, and new ones are read later. */
export function withLive(log: LogWindow, arrived: readonly Envelope[], isFollowing: boolean): LogWindow {
  const headSeq = Math.max(log.headSeq, arrived.at(-1)?.seq ?? 0);
  if (log.hasLater) return { ...log, headSeq };
  return bounded({ ...log, envelopes: joined(log, arrived), headSeq }, isFollowing ? 'newest' : 'oldest');
}

/** A page of the log, as the hub returned it. */
export interface ReadPage {
  readonly envelopes: readonly Envelope[];
  /** The cursor in the direction of reading; null after the last page. */
  readonly next: number | null;
  readonly head_seq: number;
}

/** The window of a page that was read backwards. If `isNewest`, no later envelopes remain to be read. */
export function readBack(page: ReadPage, isNewest: boolean): LogWindow {
  const envelopes = [...page.envelopes].reverse();
  return { envelopes, headSeq: page.head_seq, hasEarlier: page.next !== null, hasLater: !isNewest };
}

/** Replaces the window by the newest page. Envelopes that arrived after that page remain to be read. */
export function withNewest(log: LogWindow, page: ReadPage): LogWindow {
  const headSeq = Math.max(log.headSeq, page.head_seq);
  return { ...readBack(page, headSeq === page.head_seq), headSeq };
}

/** Adds a page read backwards from the first held envelope. */
export function withEarlier(log: LogWindow, page: ReadPage): LogWindow {
  const first = firstSeq(log);
  const before = [...page.envelopes].reverse().filter(({ seq }) => seq < first);
  const envelopes = [...before, ...log.envelopes];
  const headSeq = Math.max(log.headSeq, page.head_seq);
  return bounded({ ...log, envelopes, headSeq, hasEarlier: page.next !== null }, 'oldest');
}

/** Adds a page read forwards from the last held envelope. */
export function withLater(log: LogWindow, page: ReadPage): LogWindow {
  const headSeq = Math.max(log.headSeq, page.head_seq);
  const envelopes = joined(log, page.envelopes);
  return bounded({ ...log, envelopes, headSeq, hasLater: page.next !== null }, 'newest');
}

function joined(log: LogWindow, later: readonly Envelope[]): readonly Envelope[] {
  const last = lastSeq(log);
  return [...log.envelopes, ...later.filter(({ seq }) => seq > last)];
}

/** Applies redactions found by reading the same range again. */
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
