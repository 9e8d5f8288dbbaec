/** Keeps the session list current: reads pages on scrolling, changes every second, and details of the visible rows. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { mayObserve } from '../connection/grants.ts';
import { callRead, describeSessions, MAX_DESCRIBED, reasonOf } from '../connection/read-operations.ts';
import { askedSince, isSameSweep, type Sweep, withSwept } from '../state/change-sweep.ts';
import { store, update } from '../state/console-state.ts';
import {
  EMPTY_LIST,
  inPlaceOf,
  isNarrow,
  MAX_AHEAD,
  type SessionList,
  undescribed,
  visibleIds,
  withChanges,
  withDescriptions,
  withPage,
} from '../state/session-list.ts';

const PAGE = 100;
/** Interval between ticks, unless a row becomes visible. */
const TICK_MS = 1000;
/** Minimum time between two ticks. */
const MIN_TICK_MS = 250;
/** Pages of changes read per tick; the next tick reads the rest. */
const MAX_CHANGE_PAGES = 5;
/** Maximum page size when the list is read again. */
const LARGEST_PAGE = 1000;
/** Pages read ahead per tick for a filter, without scrolling. */
const PAGES_AHEAD = 2;
/** Ticks until unchanged rows are described again too, because a redaction changes only the text. */
const DESCRIBE_ALL_EVERY = 5;

let onScreen: readonly string[] = [];
let ticks = 0;
let wake: (() => void) | null = null;
/** True if rows became visible during a tick. */
let isWanted = false;
/** True if the hub was unreachable after the list was read: it may have been restored since. */
let mustReload = false;
store.subscribe(() => {
  if (store.get().connection.kind !== 'open') mustReload = true;
});

export function setVisibleRows(ids: readonly string[]): void {
  const isNew = ids.some((id) => !onScreen.includes(id));
  onScreen = ids;
  if (!isNew) return;
  isWanted = true;
  wake?.();
}

/** Starts updating the list; returns the function that stops it. */
export function followList(): () => void {
  let isStopped = false;
  void (async () => {
    while (!isStopped) {
      const began = performance.now();
      isWanted = false;
      if (!document.hidden && store.get().connection.kind === 'open') await tick().catch(refused);
      await pause(began);
    }
  })();
  return () => {
    isStopped = true;
    wake?.();
  };
}

export async function readPage(): Promise<void> {
  const { next, isReading } = store.get().list;
  if (isReading || next === null) return;
  if (next === undefined) mustReload = false;
  update(({ list }) => ({ list: { ...list, isReading: true } }));
  try {
    const page = await callRead('list_sessions', { all: mayObserve(), limit: PAGE, after: next });
    const names = nameFilter() === '' ? [] : await describeSessions(page.sessions.map(({ session_id }) => session_id));
    update(({ list }) => ({ list: withDescriptions(withPage(list, page), names) }));
  } catch (thrown) {
    update(({ list }) => ({ list: { ...list, isReading: false } }));
    refused(thrown);
  }
}

/** Reads the known part of the list again from the start, and replaces it. */
async function reload(): Promise<void> {
  mustReload = false;
  const {
    rows,
    order: { length },
  } = store.get().list;
  const limit = Math.min(LARGEST_PAGE, Math.max(PAGE, length));
  update(({ list }) => ({ list: { ...list, isReading: true } }));
  try {
    let fresh = EMPTY_LIST;
    do {
      const after = fresh.next ?? undefined;
      fresh = withPage(fresh, await callRead('list_sessions', { all: mayObserve(), limit, after }));
    } while (fresh.next !== null && fresh.order.length < length);
    // Do not replace a list that was begun meanwhile, after a change of grants.
    mustReload = mustReload || store.get().list.rows !== rows;
    update(({ list }) => ({ list: list.rows === rows ? inPlaceOf(list, fresh) : { ...list, isReading: false } }));
  } catch (thrown) {
    mustReload = true;
    update(({ list }) => ({ list: { ...list, isReading: false } }));
    throw thrown;
  }
}

/** Reads further pages for a filter, so that all matches are counted, not only those scrolled to. */
async function readAhead(): Promise<void> {
  for (let pages = 0; pages < PAGES_AHEAD; pages += 1) {
    const { route, list } = store.get();
    if (route.page !== 'sessions' || route.filter.search !== '' || !isNarrow(route.filter)) return;
    if (list.order.length >= MAX_AHEAD) return;
    await readPage();
  }
}

/** Reads changes and descriptions, and applies them in one update. Pages are added separately. */
async function tick(): Promise<void> {
  ticks += 1;
  const { next, isReading } = store.get().list;
  if (next === undefined) await readPage();
  else if (mustReload && !isReading) await reload();
  // The first page could not be read, and the list shows why.
  if (store.get().list.next === undefined) return;
  const { changed, sweep } = await readChanges();
  const described = await describeRows(withChanges(store.get().list, changed));
  update(({ list }) => {
    const now = withDescriptions(withChanges(list, changed), described);
    const isSame = now === list && list.refusal === null && isSameSweep(list.sweep, sweep);
    return isSame ? null : { list: { ...now, sweep, refusal: null } };
  });
  await readAhead();
}

async function readChanges(): Promise<{ readonly changed: readonly SessionSummary[]; readonly sweep: Sweep }> {
  let { sweep } = store.get().list;
  const changed_since = askedSince(sweep);
  const changed: SessionSummary[] = [];
  for (let pages = 0; pages < MAX_CHANGE_PAGES; pages += 1) {
    const after = sweep.after ?? undefined;
    const page = await callRead('list_sessions', { all: mayObserve(), changed_since, limit: PAGE, after });
    changed.push(...page.sessions);
    sweep = withSwept(sweep, page);
    if (sweep.after === null) break;
  }
  return { changed, sweep };
}

async function describeRows(list: SessionList): Promise<readonly SessionDescription[]> {
  const { route } = store.get();
  const wanted = ticks % DESCRIBE_ALL_EVERY === 0 ? onScreen : undescribed(list, onScreen, MAX_DESCRIBED);
  // Descriptions contain the names: a filter by name needs those of rows that are not visible, too.
  const others =
    route.page === 'sessions' && route.filter.participant !== ''
      ? undescribed(list, visibleIds(list, { ...route.filter, participant: '' }), MAX_DESCRIBED)
      : [];
  return describeSessions([...new Set([...wanted, ...others])]);
}

function nameFilter(): string {
  const { route } = store.get();
  return route.page === 'sessions' ? route.filter.participant : '';
}

/** Shows the refusal and restarts the pending sweep. If the hub is unreachable, the connection bar shows it. */
function refused(thrown: unknown): void {
  const refusal = store.get().connection.kind === 'open' ? reasonOf(thrown) : store.get().list.refusal;
  update(({ list }) => ({ list: { ...list, sweep: { ...list.sweep, after: null }, refusal } }));
}

/** Waits for the next tick. A row that becomes visible ends the wait early, but never before MIN_TICK_MS. */
function pause(began: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      if (wake === wakeNow) wake = null;
      resolve();
    };
    let timer = setTimeout(end, TICK_MS);
    const wakeNow = (): void => {
      wake = null;
      clearTimeout(timer);
      timer = setTimeout(end, Math.max(0, MIN_TICK_MS - (performance.now() - began)));
    };
    wake = wakeNow;
    if (isWanted) wakeNow();
  });
}
