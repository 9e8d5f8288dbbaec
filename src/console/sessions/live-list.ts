/** Keeps the list as it is at the hub: pages as they are scrolled to, changes once a second, details of what is on screen. */

import { ask, reasonOf } from '../ask.ts';
import { store, update } from '../state.ts';
import { shownIds, undescribed, withChanges, withDescriptions, withPage } from './session-list.ts';

const PAGE = 100;
/** Between two looks for changes, unless a row came on screen meanwhile. */
const TICK_MS = 1000;
/** The page is patched no more often than that. */
const SOONEST_MS = 250;
/** Changes are read in pages; what is beyond these is read at the next tick. */
const MOST_CHANGE_PAGES = 5;
/** What one asks to be described at once. */
const MOST_DESCRIBED = 100;

/** The rows on screen, as the list says. */
let onScreen: readonly string[] = [];
let wake: (() => void) | null = null;

export function showsRows(ids: readonly string[]): void {
  const isNew = ids.some((id) => !onScreen.includes(id));
  onScreen = ids;
  if (isNew) wake?.();
}

/** Runs until the function it returns is called. */
export function followList(): () => void {
  let isOver = false;
  void (async () => {
    while (!isOver) {
      const began = performance.now();
      if (!document.hidden) await tick().catch(refused);
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
  update(({ list }) => ({ list: { ...list, isReading: true } }));
  try {
    const page = await ask('list_sessions', { all: seesAll(), limit: PAGE, after: next });
    const names = isNameAsked() ? await ask('describe_sessions', { session_ids: idsOf(page) }) : { sessions: [] };
    update(({ list }) => ({ list: withDescriptions(withPage(list, page), names.sessions) }));
  } catch (thrown) {
    update(({ list }) => ({ list: { ...list, isReading: false } }));
    refused(thrown);
  }
}

async function tick(): Promise<void> {
  if (store.get().list.next === undefined) await readPage();
  else await readChanges();
  await describeRows();
}

async function readChanges(): Promise<void> {
  const { changedAt } = store.get().list;
  const changed_since = changedAt === '' ? undefined : changedAt;
  let after: string | undefined;
  for (let pages = 0; pages < MOST_CHANGE_PAGES; pages += 1) {
    const page = await ask('list_sessions', { all: seesAll(), changed_since, limit: PAGE, after });
    update(({ list }) => ({ list: withChanges({ ...list, refusal: null }, page.sessions) }));
    if (page.next === null) return;
    after = page.next;
  }
}

async function describeRows(): Promise<void> {
  const { list, route } = store.get();
  const wanted = undescribed(list, onScreen, MOST_DESCRIBED);
  const isByName = isNameAsked() && route.page === 'sessions';
  const others = isByName
    ? undescribed(list, shownIds(list, { ...route.filter, participant: '' }), MOST_DESCRIBED)
    : [];
  const session_ids = [...new Set([...wanted, ...others])].slice(0, MOST_DESCRIBED);
  if (session_ids.length === 0) return;
  const { sessions } = await ask('describe_sessions', { session_ids });
  update((state) => ({ list: withDescriptions(state.list, sessions) }));
}

function isNameAsked(): boolean {
  const { route } = store.get();
  return route.page === 'sessions' && route.filter.participant !== '';
}

function seesAll(): boolean {
  return store.get().me?.grants.includes('observe') ?? false;
}

function idsOf({ sessions }: { readonly sessions: readonly { readonly session_id: string }[] }): string[] {
  return sessions.map(({ session_id }) => session_id);
}

function refused(thrown: unknown): void {
  update(({ list }) => ({ list: { ...list, refusal: reasonOf(thrown) } }));
}

/** Until the next tick, or until something is wanted; but never sooner than the page may be patched again. */
function pause(began: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      wake = null;
      resolve();
    };
    const timer = setTimeout(end, TICK_MS);
    wake = () => setTimeout(end, Math.max(0, SOONEST_MS - (performance.now() - began)));
  });
}
