/** Looks for a text in what was said; the hub looks through a part at a time. */

import type { SearchMatch } from '../../core/records/session/search.ts';
import { ask, reasonOf } from '../connection/read-operations.ts';
import type { ListFilter } from '../state/route.ts';
import { store, update } from '../state/console-state.ts';
import { type Found, withDescriptions } from '../state/session-list.ts';

/** Looks no further by itself once there is that much to read; a button goes on. */
const ENOUGH = 50;
/** Calls of the hub for one press of a button. */
const MOST_CALLS = 10;
const MOST_DESCRIBED = 100;

/** Counts searches: what an earlier one brings, or why it failed, does not count any more. */
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
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    try {
      const page = await ask('search_sessions', { ...asked, after });
      const found = store.get().list.found;
      if (mine !== searches || found === null) return;
      const matches = [...found.matches, ...page.matches];
      void describe(page.matches);
      const isEnough = page.next === null || matches.length - before >= ENOUGH || calls === MOST_CALLS - 1;
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

/** Who spoke is known by name once the session is described. */
async function describe(matches: readonly SearchMatch[]): Promise<void> {
  const { described } = store.get().list;
  const unknown = matches.map(({ session_id }) => session_id).filter((id) => !described.has(id));
  const session_ids = [...new Set(unknown)].slice(0, MOST_DESCRIBED);
  if (session_ids.length === 0) return;
  const { sessions } = await ask('describe_sessions', { session_ids }).catch(() => ({ sessions: [] }));
  update(({ list }) => ({ list: withDescriptions(list, sessions) }));
}

function setFound(found: Found | null): void {
  update(({ list }) => ({ list: { ...list, found } }));
}
