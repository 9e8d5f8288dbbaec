/** Draws only the visible rows of the session list, and moves the focus by key. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { evenWindow, rowByKey, scrollFor, steadyTop } from '../lib/rows-window.ts';
import { useIsNarrow, useViewport } from '../lib/use-viewport.ts';
import type { SessionList } from '../state/session-list.ts';
import { readPage, setVisibleRows } from './live-list.ts';
import { COLUMNS, SessionRow } from './session-row.tsx';

/** Must match sessions.css. */
const ROW_PX = 44;
const NARROW_ROW_PX = 92;
/** Reads the next page when only this many rows are left below. */
const AHEAD = 40;

/** The session opened from the list, and the scroll position then, for the back button. */
let left: { readonly sessionId: string; readonly top: number } | null = null;

export function SessionTable({ list, ids }: { list: SessionList; ids: readonly string[] }) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const viewport = useViewport(scroller);
  const rowPx = useIsNarrow() ? NARROW_ROW_PX : ROW_PX;
  const { start, end, before, after } = evenWindow(ids.length, rowPx, viewport);
  const shown = ids.slice(start, end);
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);

  useSteady(scroller, ids, rowPx, (before) => {
    const at = ids.indexOf(before[active] ?? '');
    if (at !== -1 && scroller?.contains(document.activeElement) === true) setActive(at);
  });
  useEffect(() => setVisibleRows(shown));
  useEffect(() => {
    if (end >= ids.length - AHEAD) void readPage();
  }, [end, ids.length, list.next, list.isReading]);
  useLayoutEffect(() => {
    const link = wantsFocus.current ? scroller?.querySelector<HTMLElement>(`[data-row="${active}"]`) : null;
    if (!link) return;
    wantsFocus.current = false;
    link.focus({ preventScroll: true });
  });
  // Must run after the effect above, which would otherwise focus the previously active row.
  useBackAt(scroller, ids, rowPx, (row) => {
    wantsFocus.current = true;
    setActive(row);
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = rowByKey(event.key, active, ids.length, Math.max(1, Math.floor(viewport.height / rowPx) - 1));
    if (to === null || scroller === null) return;
    event.preventDefault();
    wantsFocus.current = true;
    const top = scrollFor(to, rowPx, { top: scroller.scrollTop, height: scroller.clientHeight });
    if (top !== null) scroller.scrollTop = top;
    setActive(to);
  };

  if (ids.length === 0) return <p class="empty">{emptyText(list)}</p>;
  // The tab stop must be a row on screen.
  const stop = active >= start && active < end ? active : start;
  return (
    <div class="table" role="table" aria-label="Sessions" aria-rowcount={list.next === null ? ids.length + 1 : -1}>
      <div class="row head" role="row" aria-rowindex={1}>
        {COLUMNS.map((name) => (
          <span key={name} role="columnheader" class={`cell ${name.toLowerCase().replaceAll(' ', '-')}`}>
            {name}
          </span>
        ))}
      </div>
      <div
        class="rows"
        role="rowgroup"
        ref={setScroller}
        onKeyDown={onKeyDown}
        onClick={({ target }) => {
          const row = Number((target as Element).closest<HTMLElement>('[data-row]')?.dataset.row ?? Number.NaN);
          if (ids[row] !== undefined) left = { sessionId: ids[row], top: scroller?.scrollTop ?? 0 };
        }}
      >
        <div class="room" role="presentation" style={{ height: `${before}px` }} />
        {shown.map((id, at) => (
          <SessionRow
            key={id}
            row={list.rows.get(id)}
            description={list.described.get(id)}
            index={start + at}
            isStop={start + at === stop}
            onFocus={setActive}
          />
        ))}
        <div class="room" role="presentation" style={{ height: `${after}px` }} />
      </div>
    </div>
  );
}

/** Keeps the visible rows and the focused row in place when sessions appear above them. */
function useSteady(
  scroller: HTMLDivElement | null,
  ids: readonly string[],
  rowPx: number,
  onMoved: (before: readonly string[]) => void,
): void {
  const known = useRef(ids);
  useLayoutEffect(() => {
    const before = known.current;
    known.current = ids;
    if (scroller === null || before === ids) return;
    const top = steadyTop(before, ids, rowPx, scroller.scrollTop);
    if (top !== scroller.scrollTop) scroller.scrollTop = top;
    onMoved(before);
  }, [scroller, ids]);
}

/** Restores the scroll position once, when the person returns from a session to the list. */
function useBackAt(
  scroller: HTMLDivElement | null,
  ids: readonly string[],
  rowPx: number,
  atRow: (row: number) => void,
): void {
  useLayoutEffect(() => {
    if (scroller === null || left === null) return;
    const row = ids.indexOf(left.sessionId);
    if (row !== -1) {
      // New sessions may have moved the row.
      const top = scrollFor(row, rowPx, { top: left.top, height: scroller.clientHeight });
      scroller.scrollTop = top ?? left.top;
      atRow(row);
    }
    left = null;
  }, [scroller]);
}

function emptyText({ next, isReading, refusal, order }: SessionList): string {
  if (refusal !== null) return '';
  if (next === undefined || isReading) return 'Loading…';
  if (next !== null) return 'No match so far; loading more…';
  return order.length === 0 ? 'No sessions yet.' : 'No session matches.';
}
