/** Models the part of the session list that the page has read. Pure. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import type { SearchMatch } from '../../core/records/session/search.ts';
import { FIRST_SWEEP, type Page, type Sweep, sweepFrom } from './change-sweep.ts';
import type { ListFilter } from './route.ts';

export interface SessionList {
  readonly rows: ReadonlyMap<string, SessionSummary>;
  /** All ids, newest session first. */
  readonly order: readonly string[];
  readonly described: ReadonlyMap<string, SessionDescription>;
  /** The cursor of the next page; null after the last page, undefined before the first. */
  readonly next: string | null | undefined;
  readonly sweep: Sweep;
  readonly isReading: boolean;
  /** Why the hub refused the list; null if it did not. */
  readonly refusal: string | null;
  readonly found: Found | null;
}

/** The results of a text search so far. */
export interface Found {
  readonly query: string;
  readonly matches: readonly SearchMatch[];
  readonly next: string | null;
  readonly isLooking: boolean;
}

export const EMPTY_LIST: SessionList = {
  rows: new Map(),
  order: [],
  described: new Map(),
  next: undefined,
  sweep: FIRST_SWEEP,
  isReading: false,
  refusal: null,
  found: null,
};

/** Maximum number of rows read ahead to count filter matches, and of descriptions kept for their names. */
export const MAX_AHEAD = 10_000;

/** Adds the next page. */
export function withPage(list: SessionList, page: Page): SessionList {
  const sweep = sweepFrom(list.sweep, page);
  return { ...withRows(list, page.sessions), sweep, next: page.next, isReading: false, refusal: null };
}

/** Applies changed sessions. Skips those older than the last row: a later page contains them. */
export function withChanges(list: SessionList, changed: readonly SessionSummary[]): SessionList {
  const last = list.rows.get(list.order.at(-1) ?? '');
  const isInReach = (session: SessionSummary): boolean =>
    list.next === null || list.rows.has(session.session_id) || (last !== undefined && isNewer(session, last));
  return withRows(list, changed.filter(isInReach));
}

/** Replaces a list that may be outdated by a fresh one. Keeps the descriptions of unchanged rows. */
export function inPlaceOf(old: SessionList, fresh: SessionList): SessionList {
  const isSame = (id: string): boolean => {
    const [then, now] = [old.rows.get(id), fresh.rows.get(id)];
    return then?.head_seq === now?.head_seq && then?.changed_at === now?.changed_at;
  };
  const described = new Map([...old.described].filter(([id]) => isSame(id)));
  return { ...fresh, described, found: old.found };
}

function withRows(list: SessionList, sessions: readonly SessionSummary[]): SessionList {
  const fresh = sessions.filter((session) => !isKnown(list.rows.get(session.session_id), session));
  if (fresh.length === 0) return list;
  const rows = new Map(list.rows);
  for (const session of fresh) rows.set(session.session_id, session);
  return { ...list, rows, order: withInserted(list, fresh) };
}

export function withDescriptions(list: SessionList, sessions: readonly SessionDescription[]): SessionList {
  if (sessions.length === 0) return list;
  const described = new Map(list.described);
  for (const session of sessions) {
    described.delete(session.session_id);
    described.set(session.session_id, session);
  }
  for (const id of described.keys()) {
    if (described.size <= MAX_AHEAD) break;
    described.delete(id);
  }
  return { ...list, described };
}

/** The ids of the rows that match the filter, in order. */
export function visibleIds({ order, rows, described }: SessionList, filter: ListFilter): readonly string[] {
  if (!isNarrow(filter)) return order;
  return order.filter((id) => {
    const row = rows.get(id);
    return row !== undefined && matches(row, described.get(id), filter);
  });
}

/** True if the filter may exclude rows. */
export function isNarrow({ states, type, participant, label }: ListFilter): boolean {
  return states.length > 0 || type !== '' || participant !== '' || label !== '';
}

function matches(row: SessionSummary, description: SessionDescription | undefined, filter: ListFilter): boolean {
  if (filter.states.length > 0 && !filter.states.includes(row.state)) return false;
  if (filter.type !== '' && !includes(row.type, filter.type)) return false;
  const marks = [row.session_id, ...Object.entries(row.labels).map((pair) => pair.join('='))];
  if (filter.label !== '' && !marks.some((mark) => includes(mark, filter.label))) return false;
  // The participants are unknown until the session is described.
  const names = description?.participants.map(({ name }) => name) ?? [];
  return filter.participant === '' || names.some((name) => includes(name, filter.participant));
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** The rows without a description of their newest state. */
export function undescribed({ rows, described }: SessionList, ids: readonly string[], most: number): readonly string[] {
  return ids.filter((id) => described.get(id)?.head_seq !== rows.get(id)?.head_seq).slice(0, most);
}

/** Merges new rows into the sorted order, without sorting thousands again. */
function withInserted({ rows, order }: SessionList, fresh: readonly SessionSummary[]): readonly string[] {
  const added = [...new Map(fresh.map((one) => [one.session_id, one])).values()]
    .filter(({ session_id }) => !rows.has(session_id))
    .sort((one, other) => (isNewer(one, other) ? -1 : 1));
  if (added.length === 0) return order;
  const next: string[] = [];
  let at = 0;
  for (const one of added) {
    for (; at < order.length; at += 1) {
      const id = order[at] ?? '';
      const known = rows.get(id);
      if (known !== undefined && isNewer(one, known)) break;
      next.push(id);
    }
    next.push(one.session_id);
  }
  return [...next, ...order.slice(at)];
}

function isNewer(one: SessionSummary, other: SessionSummary): boolean {
  if (one.created_at !== other.created_at) return one.created_at > other.created_at;
  return one.session_id > other.session_id;
}

/** True if `session` brings nothing newer than `known`: answers may arrive out of order. */
function isKnown(known: SessionSummary | undefined, session: SessionSummary): boolean {
  if (known === undefined || known.head_seq < session.head_seq) return false;
  return known.head_seq > session.head_seq || known.state === session.state;
}
