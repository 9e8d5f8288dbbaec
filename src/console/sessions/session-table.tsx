/** The rows on screen of a list of any length, and the keys that lead through it. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { evenWindow, rowByKey, scrollFor, steadyTop } from '../lib/rows-window.ts';
import { useIsNarrow, useViewport } from '../lib/use-viewport.ts';
import type { SessionList } from '../state/session-list.ts';
import { readPage, setVisibleRows } from './live-list.ts';
import { COLUMNS, SessionRow } from './session-row.tsx';

/** As in the style sheet. */
const ROW_PX = 44;
const NARROW_ROW_PX = 92;
/** A page is read when that many rows are left below. */
const AHEAD = 40;

/** Where in the list one was: the back button leads there. */
interface Place {
  readonly sessionId: string;
  readonly top: number;
}
let left: Place | null = null;

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
  // After the effect that gives the focus, which would give it to the row of before.
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

  if (ids.length === 0) return <p class="empty">{emptyWords(list)}</p>;
  // The row that tab leads to must be on screen.
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

/** What is read stays where it is when sessions come above it, and so does the row that has the focus. */
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

/** Once, when the list is shown again after a session of it was looked at. */
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
      // Others may have come before it meanwhile.
      const top = scrollFor(row, rowPx, { top: left.top, height: scroller.clientHeight });
      scroller.scrollTop = top ?? left.top;
      atRow(row);
    }
    left = null;
  }, [scroller]);
}

function emptyWords({ next, isReading, refusal, order }: SessionList): string {
  if (refusal !== null) return '';
  if (next === undefined || isReading) return 'Reading…';
  if (next !== null) return 'None of those read so far fits; reading on…';
  return order.length === 0 ? 'There is no session yet.' : 'No session fits.';
}
