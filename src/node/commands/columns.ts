/** Rows for people: columns as wide as they need to be, the last one as long as it is; a row is one line. */

import type { Style, Terminal } from '../../cli/terminal/terminal.ts';
import { printableLine } from '../../cli/terminal/printable.ts';

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

export function writeColumns(terminal: Terminal, heads: readonly string[], given: readonly (readonly Cell[])[]): void {
  const rows = given.map((row) => row.map((cell) => ({ ...cell, text: printableLine(cell.text) })));
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.text.length ?? 0)));
  const line = (cells: readonly Cell[]): string =>
    cells
      .map(({ text, style }, i) => {
        const padded = i === cells.length - 1 ? text : text.padEnd(widths[i] ?? 0);
        return style === undefined ? padded : terminal.paint(padded, style);
      })
      .join('  ');
  terminal.write(line(heads.map((text) => ({ text, style: 'dim' }))));
  for (const row of rows) terminal.write(line(row));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** "3 m ago", "in 2 h". */
export function fromNow(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  const span = spanOf(Math.abs(ms));
  return ms > 0 ? `in ${span}` : `${span} ago`;
}

/** The largest unit that fits, rounded down. */
export function spanOf(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}
