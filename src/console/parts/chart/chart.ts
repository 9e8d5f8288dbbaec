/** Converts series of numbers to SVG path data and to text. */

export interface Series {
  readonly name: string;
  /** Oldest first; null if the value is unknown. */
  readonly points: readonly (number | null)[];
}

interface ChartSize {
  readonly width: number;
  readonly height: number;
}

const PADDING = 3;

/** Draws all series on one scale from 0, so that heights can be compared. */
export function drawSeries(series: readonly Series[], size: ChartSize) {
  const most = Math.max(0, ...series.flatMap(({ points }) => points.filter(isKnown)));
  const count = Math.max(0, ...series.map(({ points }) => points.length));
  return series.map(({ points }) => drawOne(points, count, most, size));
}

/** Path data of the line and the area, with gaps for unknown points, and the position of the newest known value. */
function drawOne(points: Series['points'], count: number, most: number, { width, height }: ChartSize) {
  const bottom = height - PADDING;
  const x = (i: number) =>
    round(PADDING + ((width - 2 * PADDING) * (i + count - points.length)) / Math.max(1, count - 1));
  const y = (value: number) => round(bottom - (most === 0 ? 0 : (bottom - PADDING) * (Math.max(0, value) / most)));
  const runs = runsOf(points);
  const at = ([i, value]: Known) => `${x(i)} ${y(value)}`;
  const lastKnown = runs.at(-1)?.at(-1);
  return {
    // A single known point is drawn as a bar.
    line: runs
      .map((run) => `M${run.length === 1 ? `${x(run[0]?.[0] ?? 0)} ${bottom}L` : ''}${run.map(at).join('L')}`)
      .join(''),
    area: runs
      .filter((run) => run.length > 1)
      .map((run) => `M${x(run[0]?.[0] ?? 0)} ${bottom}L${run.map(at).join('L')}L${x(run.at(-1)?.[0] ?? 0)} ${bottom}Z`)
      .join(''),
    last: lastKnown === undefined ? null : { x: x(lastKnown[0]), y: y(lastKnown[1]) },
  };
}

type Known = readonly [index: number, value: number];

function runsOf(points: readonly (number | null)[]): readonly (readonly Known[])[] {
  const runs: Known[][] = [];
  for (const [i, value] of points.entries()) {
    if (!isKnown(value)) continue;
    if (i > 0 && isKnown(points[i - 1] ?? null)) runs.at(-1)?.push([i, value]);
    else runs.push([[i, value]]);
  }
  return runs;
}

function isKnown(value: number | null): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Formats with three significant digits, such as `1.24 k`. */
export function formatCompact(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_500_000) return `${trimmed(value / 1e9)} G`;
  if (size >= 999_500) return `${trimmed(value / 1e6)} M`;
  if (size >= 999.5) return `${trimmed(value / 1e3)} k`;
  return trimmed(value);
}

function trimmed(value: number): string {
  const digits = Math.abs(value) >= 99.5 ? 0 : Math.abs(value) >= 9.95 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

/** The newest, least and greatest value. `now` is null if the newest point is unknown, even if others are known. */
export function figuresOf({ points }: Series) {
  const known = points.filter(isKnown);
  const now = points.at(-1) ?? null;
  return {
    now: isKnown(now) ? now : null,
    least: known.length === 0 ? null : Math.min(...known),
    most: known.length === 0 ? null : Math.max(...known),
  };
}

/** `posts: now 12/s, from 3 to 40/s`. */
export function chartText(series: readonly Series[], unit: string): string {
  const texts = series.map((one) => {
    const { now, least, most } = figuresOf(one);
    if (least === null || most === null) return `${one.name}: no data yet`;
    const newest = now === null ? 'unknown' : `${formatCompact(now)}${unit}`;
    return `${one.name}: now ${newest}, from ${formatCompact(least)} to ${formatCompact(most)}${unit}`;
  });
  return texts.join('; ');
}
