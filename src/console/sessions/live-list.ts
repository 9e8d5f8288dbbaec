/** Keeps the list as it is at the hub: pages as they are scrolled to, changes once a second, details of what is on screen. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { mayObserve } from '../connection/grants.ts';
import { callRead, reasonOf } from '../connection/read-operations.ts';
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
/** Between two looks for changes, unless a row came on screen meanwhile. */
const TICK_MS = 1000;
/** The page is patched no more often than that. */
const SOONEST_MS = 250;
/** Changes are read in pages; what is beyond these is read at the next tick. */
const MAX_CHANGE_PAGES = 5;
/** What is read again is read in larger pages. */
const LARGEST_PAGE = 1000;
/** Pages of one look that are read for a filter without being scrolled to. */
const PAGES_AHEAD = 2;
/** What one asks to be described at once. */
const MAX_DESCRIBED = 100;
/** Once in so many looks rows are described again that seem to be the same. */
const ANEW_EVERY = 5;

/** The rows on screen, as the list says. */
let onScreen: readonly string[] = [];
let ticks = 0;
let wake: (() => void) | null = null;
/** Rows came on screen while a look was under way. */
let isWanted = false;
/** The hub was out of reach since the list was read: it may have come back with an older past. */
let isDoubtful = false;
store.subscribe(() => {
  if (store.get().connection.kind !== 'open') isDoubtful = true;
});

export function setVisibleRows(ids: readonly string[]): void {
  const isNew = ids.some((id) => !onScreen.includes(id));
  onScreen = ids;
  if (!isNew) return;
  isWanted = true;
  wake?.();
}

/** Runs until the function it returns is called. */
export function followList(): () => void {
  let isOver = false;
  void (async () => {
    while (!isOver) {
      const began = performance.now();
      isWanted = false;
      if (!document.hidden && store.get().connection.kind === 'open') await tick().catch(refused);
      await pause(began);
    }
  })();
  return () => {
    isOver = true;
    wake?.();
  };
}

export async function readPage(): Promise<void> {
  const { next, isReading } = store.get().list;
  if (isReading || next === null) return;
  if (next === undefined) isDoubtful = false;
  update(({ list }) => ({ list: { ...list, isReading: true } }));
  try {
    const page = await callRead('list_sessions', { all: mayObserve(), limit: PAGE, after: next });
    const names = isNameAsked() ? await callRead('describe_sessions', { session_ids: idsOf(page) }) : { sessions: [] };
    update(({ list }) => ({ list: withDescriptions(withPage(list, page), names.sessions) }));
  } catch (thrown) {
    update(({ list }) => ({ list: { ...list, isReading: false } }));
    refused(thrown);
  }
}

/** From its beginning and as far as it was read: what the hub says now is true, whatever was known before. */
async function readAnew(): Promise<void> {
  isDoubtful = false;
  const { rows, order } = store.get().list;
  const { length } = order;
  const limit = Math.min(LARGEST_PAGE, Math.max(PAGE, length));
  update(({ list }) => ({ list: { ...list, isReading: true } }));
  try {
    let anew = EMPTY_LIST;
    do {
      const after = anew.next ?? undefined;
      anew = withPage(anew, await callRead('list_sessions', { all: mayObserve(), limit, after }));
    } while (anew.next !== null && anew.order.length < length);
    // A list that was begun meanwhile, because somebody may see more or less by now, is not replaced by this one.
    isDoubtful = isDoubtful || store.get().list.rows !== rows;
    update(({ list }) => ({ list: list.rows === rows ? inPlaceOf(list, anew) : { ...list, isReading: false } }));
  } catch (thrown) {
    isDoubtful = true;
    update(({ list }) => ({ list: { ...list, isReading: false } }));
    throw thrown;
  }
}

/** Of what a filter lets through the count is of all there are, not of what was scrolled to. */
async function readAhead(): Promise<void> {
  for (let pages = 0; pages < PAGES_AHEAD; pages += 1) {
    const { route, list } = store.get();
    if (route.page !== 'sessions' || route.filter.search !== '' || !isNarrow(route.filter)) return;
    if (list.order.length >= MAX_AHEAD) return;
    await readPage();
  }
}

/** All that one look brings is one patch, but for pages. */
async function tick(): Promise<void> {
  ticks += 1;
  const { next, isReading } = store.get().list;
  if (next === undefined) await readPage();
  else if (isDoubtful && !isReading) await readAnew();
  // The hub gave none: that was told.
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
  // What was redacted changes nothing of a session but its newest line.
  const wanted = ticks % ANEW_EVERY === 0 ? onScreen : undescribed(list, onScreen, MAX_DESCRIBED);
  const isByName = isNameAsked() && route.page === 'sessions';
  const others = isByName
    ? undescribed(list, visibleIds(list, { ...route.filter, participant: '' }), MAX_DESCRIBED)
    : [];
  const session_ids = [...new Set([...wanted, ...others])].slice(0, MAX_DESCRIBED);
  return session_ids.length === 0 ? [] : (await callRead('describe_sessions', { session_ids })).sessions;
}

function isNameAsked(): boolean {
  const { route } = store.get();
  return route.page === 'sessions' && route.filter.participant !== '';
}

function idsOf({ sessions }: { readonly sessions: readonly { readonly session_id: string }[] }): string[] {
  return sessions.map(({ session_id }) => session_id);
}

/** What was read in part is read again from its beginning. That the hub is out of reach is told elsewhere. */
function refused(thrown: unknown): void {
  const refusal = store.get().connection.kind === 'open' ? reasonOf(thrown) : store.get().list.refusal;
  update(({ list }) => ({ list: { ...list, sweep: { ...list.sweep, after: null }, refusal } }));
}

/** Until the next tick, or until something is wanted; but never sooner than the page may be patched again. */
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
      timer = setTimeout(end, Math.max(0, SOONEST_MS - (performance.now() - began)));
    };
    wake = wakeNow;
    if (isWanted) wakeNow();
  });
}
