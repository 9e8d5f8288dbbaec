/** Sessions by creation, newest first, found through the list that fits the question best. */

import { isTerminal } from '../../core/records/session/session.ts';
import type { SessionQuery } from '../../core/ports/store.ts';
import { matchesQuery } from '../../core/store-rules.ts';
import { msFromIso } from '../../core/time.ts';
import { after, endedKey, lastPart, under } from '../index/index-keys.ts';
import type { LogRecord } from '../index/log-record.ts';
import type { Overlay } from '../index/overlay.ts';

interface Listed {
  readonly sessionId: string;
  readonly order: string;
}

/** `recordOf` gives what is durable of a session. `next` is the order of the last one shown. */
export function listSessions(
  overlay: Overlay,
  query: SessionQuery,
  recordOf: (sessionId: string) => LogRecord | null,
): { readonly found: readonly LogRecord[]; readonly next: string | null } {
  const found: LogRecord[] = [];
  for (const { sessionId } of candidates(overlay, query)) {
    const record = recordOf(sessionId);
    if (record === null || record.head === null || !matchesQuery(record.head, query)) continue;
    if (found.length === query.limit) return { found, next: found.at(-1)?.order ?? null };
    found.push(record);
  }
  return { found, next: null };
}

function candidates(overlay: Overlay, query: SessionQuery): Iterable<Listed> {
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
): Generator<Listed, void, void> {
  const { from, to } = under(...parts);
  // The key of an order is its list's beginning and the order itself.
  for (const { key, value } of overlay.range(from, place === undefined ? to : from + place, { reverse: true })) {
    yield { sessionId: text(value), order: lastPart(key) };
  }
}

/** By the time they ended, then sorted: few have ended lately, whatever an agent has behind it. */
function recentlyEnded(overlay: Overlay, agentId: string, since: string, place: string | undefined): readonly Listed[] {
  const { to } = under('e', agentId);
  const found: Listed[] = [];
  for (const { key, value } of overlay.range(endedKey(agentId, msFromIso(since), ''), after(to))) {
    const order = lastPart(key);
    if (place === undefined || order < place) found.push({ sessionId: text(value), order });
  }
  return found.sort((a, b) => (a.order < b.order ? 1 : -1));
}

function text(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}
