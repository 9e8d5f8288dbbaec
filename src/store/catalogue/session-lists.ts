/** Queries the index lists: sessions by creation, live sessions, live children, damaged logs. */

import { msFromIso } from '../../core/lib/time.ts';
import type { LiveRow, SessionQuery } from '../../core/ports/store.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { matchesQuery } from '../../core/state/fold-head.ts';
import { after, endedKey, lastPart, under } from '../index/index-keys.ts';
import { decodeRow, type LogRecord } from '../index/log-record.ts';
import type { Overlay } from '../index/overlay.ts';
import type { Catalogue } from './catalogue.ts';

/** `recordOf` returns a session's durable record. `next`: the order of the last session found; null if none follows. */
export function listSessions(
  overlay: Overlay,
  query: SessionQuery,
  recordOf: (sessionId: string) => LogRecord | null,
): { readonly found: readonly LogRecord[]; readonly next: string | null } {
  const found: LogRecord[] = [];
  for (const sessionId of candidates(overlay, query)) {
    const record = recordOf(sessionId);
    if (record === null || record.head === null || !matchesQuery(record.head, query)) continue;
    if (found.length === query.limit) return { found, next: found.at(-1)?.order ?? null };
    found.push(record);
  }
  return { found, next: null };
}

function candidates(overlay: Overlay, query: SessionQuery): Iterable<string> {
  const { participant, states, ended_since, after: place } = query;
  if (participant === undefined) return newestFirst(overlay, ['o'], place);
  if (states?.every((state) => !isTerminal(state))) return newestFirst(overlay, ['q', participant], place);
  if (ended_since !== undefined && states?.every(isTerminal))
    return recentlyEnded(overlay, participant, ended_since, place);
  return newestFirst(overlay, ['p', participant], place);
}

function* newestFirst(
  overlay: Overlay,
  parts: readonly string[],
  place: string | undefined,
): Generator<string, void, void> {
  const { from, to } = under(...parts);
  // A key is the prefix of its list followed by the order.
  const range = overlay.range(from, place === undefined ? to : from + place, { reverse: true });
  for (const { value } of range) yield text(value);
}

/** Reads by end time, then sorts by order: an agent may have many sessions, but few ended recently. */
function recentlyEnded(overlay: Overlay, agentId: string, since: string, place: string | undefined): readonly string[] {
  const { to } = under('e', agentId);
  const found: { readonly sessionId: string; readonly order: string }[] = [];
  for (const { key, value } of overlay.range(endedKey(agentId, msFromIso(since), ''), after(to))) {
    const order = lastPart(key);
    if (place === undefined || order < place) found.push({ sessionId: text(value), order });
  }
  return found.sort((a, b) => (a.order < b.order ? 1 : -1)).map(({ sessionId }) => sessionId);
}

function text(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

/** A page takes about a millisecond; the hub serves other requests between pages. */
const ROWS_PER_PAGE = 250;

export async function* liveRows(catalogue: Catalogue): AsyncGenerator<readonly LiveRow[], void, void> {
  catalogue.show();
  const { from, to } = under('l');
  for (let start = from; ; ) {
    const page: LiveRow[] = [];
    for (const { key, value } of catalogue.overlay.range(start, to)) {
      page.push(decodeRow(lastPart(key), value));
      start = after(key);
      if (page.length === ROWS_PER_PAGE) break;
    }
    if (page.length > 0) yield page;
    if (page.length < ROWS_PER_PAGE) return;
  }
}

export function liveChildren(catalogue: Catalogue, sessionId: string): readonly string[] {
  catalogue.show();
  const { from, to } = under('c', sessionId);
  const children = [...catalogue.overlay.range(from, to)].map(({ key }) => lastPart(key));
  return children.filter((child) => {
    const head = catalogue.record(child)?.head;
    return head !== undefined && head !== null && !isTerminal(head.state);
  });
}

export interface DamagedLog {
  readonly log_id: string;
  readonly damaged_from: number;
}

export function damagedLogs(catalogue: Catalogue): readonly DamagedLog[] {
  catalogue.show();
  const { from, to } = under('d');
  return [...catalogue.overlay.range(from, to)].map(({ key }) => {
    const log_id = lastPart(key);
    return { log_id, damaged_from: catalogue.record(log_id)?.damagedFrom ?? 0 };
  });
}
