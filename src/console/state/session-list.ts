/** The list of sessions as far as the page has read it. Pure. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import type { SearchMatch } from '../../core/records/session/search.ts';
import { FIRST_SWEEP, type Page, type Sweep, sweepFrom } from './change-sweep.ts';
import type { ListFilter } from './route.ts';

export interface SessionList {
  readonly rows: ReadonlyMap<string, SessionSummary>;
  /** All ids, the newest session first. */
  readonly order: readonly string[];
  readonly described: ReadonlyMap<string, SessionDescription>;
  /** Where the next page begins; null = all are here; undefined = none was read yet. */
  readonly next: string | null | undefined;
  /** How far changes were read. */
  readonly sweep: Sweep;
  readonly isReading: boolean;
  /** Why the hub gave no list. */
  readonly refusal: string | null;
  readonly found: Found | null;
}

/** What a search for a text has found so far. */
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

/** Rows that are read ahead of scrolling to count what fits a filter, and descriptions that are kept: names are known by them. */
export const MAX_AHEAD = 10_000;

/** A page that was read behind the last one. */
export function withPage(list: SessionList, page: Page): SessionList {
  const sweep = sweepFrom(list.sweep, page);
  return { ...withRows(list, page.sessions), sweep, next: page.next, isReading: false, refusal: null };
}

/** Sessions that changed. Those older than what was read so far come with their page. */
export function withChanges(list: SessionList, changed: readonly SessionSummary[]): SessionList {
  const last = list.rows.get(list.order.at(-1) ?? '');
  const isInReach = (session: SessionSummary): boolean =>
    list.next === null || list.rows.has(session.session_id) || (last !== undefined && isNewer(session, last));
  return withRows(list, changed.filter(isInReach));
}

/**
 * The list as it was read anew, in the place of one that may tell of a past that is no more: rows that the hub did not name are
 * gone, and those that were set back are as it says. What was described stays where nothing has changed.
 */
export function inPlaceOf(old: SessionList, anew: SessionList): SessionList {
  const isSame = (id: string): boolean => {
    const [then, now] = [old.rows.get(id), anew.rows.get(id)];
    return then?.head_seq === now?.head_seq && then?.changed_at === now?.changed_at;
  };
  const described = new Map([...old.described].filter(([id]) => isSame(id)));
  return { ...anew, described, found: old.found };
}

function withRows(list: SessionList, sessions: readonly SessionSummary[]): SessionList {
  const fresh = sessions.filter((session) => !isKnown(list.rows.get(session.session_id), session));
  if (fresh.length === 0) return list;
  const rows = new Map(list.rows);
  for (const session of fresh) rows.set(session.session_id, session);
  const order = withInserted(list, fresh);
  return { ...list, rows, order };
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

/** The ids the filter lets through, in order. */
export function visibleIds({ order, rows, described }: SessionList, filter: ListFilter): readonly string[] {
  if (!isNarrow(filter)) return order;
  return order.filter((id) => {
    const row = rows.get(id);
    return row !== undefined && fits(row, described.get(id), filter);
  });
}

/** It may leave rows out. */
export function isNarrow({ states, type, participant, label }: ListFilter): boolean {
  return states.length > 0 || type !== '' || participant !== '' || label !== '';
}

function fits(row: SessionSummary, description: SessionDescription | undefined, filter: ListFilter): boolean {
  if (filter.states.length > 0 && !filter.states.includes(row.state)) return false;
  if (filter.type !== '' && !includes(row.type, filter.type)) return false;
  const marks = [row.session_id, ...Object.entries(row.labels).map((pair) => pair.join('='))];
  if (filter.label !== '' && !marks.some((mark) => includes(mark, filter.label))) return false;
  // Who is in it is not known before it was described.
  const names = description?.participants.map(({ name }) => name) ?? [];
  return filter.participant === '' || names.some((name) => includes(name, filter.participant));
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** Which of these rows have to be described: never done, or something was added since. */
export function undescribed({ rows, described }: SessionList, ids: readonly string[], most: number): readonly string[] {
  return ids.filter((id) => described.get(id)?.head_seq !== rows.get(id)?.head_seq).slice(0, most);
}

/** New ones at their places. The others are in order already: of thousands nothing is sorted again. */
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

/** Also what is older than what is known: of two answers that were under way, the older may come last. */
function isKnown(known: SessionSummary | undefined, session: SessionSummary): boolean {
  if (known === undefined || known.head_seq < session.head_seq) return false;
  return known.head_seq > session.head_seq || known.state === session.state;
}
