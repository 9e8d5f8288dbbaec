/** Which rows of a long list are drawn, and how much room the others take. Pure. */

export interface RowsWindow {
  /** The first row that is drawn, and the one behind the last. */
  readonly start: number;
  readonly end: number;
  /** The room of what is not drawn, in px. */
  readonly before: number;
  readonly after: number;
}

export interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** Rows drawn beyond each edge, so that scrolling shows no gap. */
const MARGIN = 6;

/** All rows of the same height. */
export function evenWindow(count: number, rowHeight: number, { top, height }: Viewport): RowsWindow {
  const first = Math.floor(Math.max(0, top) / rowHeight);
  const start = clamp(first - MARGIN, 0, count);
  const end = clamp(Math.ceil((Math.max(0, top) + height) / rowHeight) + MARGIN, start, count);
  return { start, end, before: start * rowHeight, after: (count - end) * rowHeight };
}

/** Rows of heights of their own; what was not measured yet counts as the estimate. */
export function unevenWindow(heights: readonly number[], { top, height }: Viewport): RowsWindow {
  let start = 0;
  let before = 0;
  while (start < heights.length && before + (heights[start] ?? 0) < top) before += heights[start++] ?? 0;
  let end = start;
  for (let bottom = before; end < heights.length && bottom < top + height; end += 1) bottom += heights[end] ?? 0;
  const from = Math.max(0, start - MARGIN);
  const to = Math.min(heights.length, end + MARGIN);
  return { start: from, end: to, before: sum(heights, 0, from), after: sum(heights, to, heights.length) };
}

/** Where row `index` has to be scrolled to so that all of it is seen; null = it is seen already. */
export function scrollFor(index: number, rowHeight: number, { top, height }: Viewport): number | null {
  const rowTop = index * rowHeight;
  if (rowTop < top) return rowTop;
  return rowTop + rowHeight > top + height ? rowTop + rowHeight - height : null;
}

/**
 * Where to scroll when rows came or went, so that the row that is seen first stays in its place. At the top one stays at the
 * top, where the newest is.
 */
export function steadyTop(before: readonly string[], now: readonly string[], rowHeight: number, top: number): number {
  const first = Math.floor(top / rowHeight);
  const at = top <= 0 ? -1 : now.indexOf(before[first] ?? '');
  return at === -1 ? top : top + (at - first) * rowHeight;
}

/** Where an arrow, a page or an end of the list leads; null = the key means nothing here. */
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

function sum(numbers: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at += 1) total += numbers[at] ?? 0;
  return total;
}
