/** Computes which rows of a long list are drawn, and the height of the rows above and below. Pure. */

interface RowsWindow {
  /** Index of the first drawn row (`start`), and of the row after the last one (`end`). */
  readonly start: number;
  readonly end: number;
  /** Height in px of the rows above (`before`) and below (`after`) the drawn ones. */
  readonly before: number;
  readonly after: number;
}

export interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** Additional rows drawn above and below the visible ones, so that scrolling shows no gap. */
const MARGIN = 6;

/** The rows to draw if all have the same height. */
export function evenWindow(count: number, rowHeight: number, { top, height }: Viewport): RowsWindow {
  const first = Math.floor(Math.max(0, top) / rowHeight);
  const start = clamp(first - MARGIN, 0, count);
  const end = clamp(Math.ceil((Math.max(0, top) + height) / rowHeight) + MARGIN, start, count);
  return { start, end, before: start * rowHeight, after: (count - end) * rowHeight };
}

/** The rows to draw if they have different heights, measured or estimated. */
export function unevenWindow(heights: readonly number[], { top, height }: Viewport): RowsWindow {
  let start = 0;
  let before = 0;
  while (start < heights.length && before + (heights[start] ?? 0) < top) before += heights[start++] ?? 0;
  let end = start;
  for (let bottom = before; end < heights.length && bottom < top + height; end += 1) bottom += heights[end] ?? 0;
  const from = Math.max(0, start - MARGIN);
  const to = Math.min(heights.length, end + MARGIN);
  return { start: from, end: to, before: sum(heights.slice(0, from)), after: sum(heights.slice(to)) };
}

/** The scroll position that shows the whole row; null if it is already visible. */
export function scrollFor(index: number, rowHeight: number, { top, height }: Viewport): number | null {
  const rowTop = index * rowHeight;
  if (rowTop < top) return rowTop;
  return rowTop + rowHeight > top + height ? rowTop + rowHeight - height : null;
}

/** The scroll position that keeps the first visible row in place when rows change. A list at its top stays there. */
export function steadyTop(before: readonly string[], now: readonly string[], rowHeight: number, top: number): number {
  const first = Math.floor(top / rowHeight);
  const at = top <= 0 ? -1 : now.indexOf(before[first] ?? '');
  return at === -1 ? top : top + (at - first) * rowHeight;
}

/** The row that a key selects; null if it is not a navigation key, or the list is empty. */
export function rowByKey(key: string, from: number, count: number, pageLength: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + pageLength,
    PageUp: from - pageLength,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined || count === 0 ? null : clamp(to, 0, count - 1);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
