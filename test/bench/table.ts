/** Prints the figures as a table. */

import { type Figure, passes } from './figure.ts';

const HEADINGS = ['', 'name', 'figure', 'must', 'aim', 'measured', 'raw', 'what'];

const HOW =
  'A figure without a unit is a ratio: the median of pairs, measured ÷ raw of one pair after the other; measured and raw are the median of each side alone.';

export function table(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ...figures.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', HOW].join('\n');
}

function rowOf(figure: Figure): string[] {
  const { name, value, must, aim, better, measured, raw, what } = figure;
  const unit = figure.unit === undefined ? '' : ` ${figure.unit}`;
  const sign = better === 'more' ? '≥' : '≤';
  const mark = must === null ? ' ' : passes(figure) ? '✓' : '✗';
  return [mark, name, short(value) + unit, bar(sign, must, unit), bar(sign, aim, unit), measured, raw, what];
}

function bar(sign: string, value: number | null, unit: string): string {
  return value === null ? '–' : `${sign} ${value}${unit}`;
}

function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
