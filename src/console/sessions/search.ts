/** Searches the text of envelopes. Each call to the hub searches only a part of them. */

import type { SearchMatch } from '../../core/records/session/search.ts';
import { callRead, describeSessions, reasonOf } from '../connection/read-operations.ts';
import { store, update } from '../state/console-state.ts';
import type { ListFilter } from '../state/route.ts';
import { type Found, type SessionList, withDescriptions } from '../state/session-list.ts';

/** The search pauses after this many matches; a button continues it. */
const ENOUGH = 50;
/** Maximum number of calls until the search pauses. */
const MAX_CALLS = 10;

/** Number of the latest search; results of earlier ones are ignored. */
let searches = 0;

export function startSearch(filter: ListFilter): void {
  searches += 1;
  if (filter.search.trim() === '') return setFound(null);
  setFound({ query: filter.search, matches: [], next: null, isLooking: true });
  void look(filter, undefined);
}

export function searchOn(filter: ListFilter): void {
  const { found } = store.get().list;
  if (found === null || found.next === null || found.isLooking) return;
  setFound({ ...found, isLooking: true });
  void look(filter, found.next);
}

async function look(filter: ListFilter, from: string | undefined): Promise<void> {
  const { search: query, states, type } = filter;
  const mine = searches;
  let after = from;
  const before = store.get().list.found?.matches.length ?? 0;
  const asked = { query, ...(states.length > 0 ? { states } : {}), ...(type === '' ? {} : { type }) };
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    try {
      const page = await callRead('search_sessions', { ...asked, after });
      const found = store.get().list.found;
      if (mine !== searches || found === null) return;
      const matches = [...found.matches, ...page.matches];
      void describe(page.matches);
      const isEnough = page.next === null || matches.length - before >= ENOUGH || calls === MAX_CALLS - 1;
      setFound({ query, matches, next: page.next, isLooking: !isEnough });
      if (isEnough) return;
      after = page.next ?? undefined;
    } catch (thrown) {
      if (mine !== searches) return;
      setFound(null);
      update(({ list }) => ({ list: { ...list, refusal: reasonOf(thrown) } }));
      return;
    }
  }
}

/** Reads the descriptions of the sessions found, which contain the names of the senders. */
async function describe(matches: readonly SearchMatch[]): Promise<void> {
  const { described } = store.get().list;
  const unknown = matches.map(({ session_id }) => session_id).filter((id) => !described.has(id));
  const sessions = await describeSessions([...new Set(unknown)]).catch(() => []);
  update(({ list }) => ({ list: withDescriptions(list, sessions) }));
}

function setFound(found: Found | null): void {
  update(({ list }) => ({ list: { ...list, found } }));
}

/** `shown`: the number of rows that match the filter. The text is empty until the first page is read. */
export function countText({ order, next }: Pick<SessionList, 'order' | 'next'>, shown: number): string {
  const number = (count: number): string => count.toLocaleString('en');
  const read = order.length;
  if (next === undefined) return '';
  if (next === null) return shown === read ? number(read) : `${number(shown)} of ${number(read)}`;
  return shown === read ? `the newest ${number(read)}, more below` : `${number(shown)} of the newest ${number(read)}`;
}
