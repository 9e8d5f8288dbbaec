/** Formats tables for people, one line per row, and time spans. */

import type { Io } from './io.ts';
import { printableLine } from './printable.ts';
import type { Style, Terminal } from './terminal.ts';

export type Cell = string | { readonly text: string; readonly style: Style };

export interface Table<Entry> {
  readonly heads: readonly string[];
  /** Shown to people if the table has no rows. */
  readonly empty?: string;
  row(entry: Entry): readonly Cell[];
}

/** Prints one JSON line per entry for programs, or one table for people. */
export async function printTable<Entry>(
  io: Io,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  { heads, empty, row }: Table<Entry>,
): Promise<void> {
  const rows: (readonly Cell[])[] = [];
  for await (const entry of entries) {
    io.put(entry);
    if (!io.isJson) rows.push(row(entry));
  }
  if (io.isJson) return;
  if (rows.length === 0 && empty !== undefined) io.say(empty);
  else writeColumns(io.terminal, heads, rows);
}

export function writeColumns(terminal: Terminal, heads: readonly string[], cells: readonly (readonly Cell[])[]): void {
  const rows = cells.map((row) => row.map(printableCell));
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.text.length ?? 0)));
  const line = (row: readonly ReturnType<typeof printableCell>[]): string =>
    row
      .map(({ text, style }, i) => {
        const padded = i === row.length - 1 ? text : text.padEnd(widths[i] ?? 0);
        return style === undefined ? padded : terminal.paint(padded, style);
      })
      .join('  ');
  terminal.write(line(heads.map((text) => ({ text, style: 'dim' }))));
  for (const row of rows) terminal.write(line(row));
}

function printableCell(cell: Cell): { readonly text: string; readonly style?: Style } {
  return typeof cell === 'string' ? { text: printableLine(cell) } : { ...cell, text: printableLine(cell.text) };
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** "3 m ago", "in 2 h". */
export function formatRelative(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  const span = formatDuration(Math.abs(ms));
  return ms > 0 ? `in ${span}` : `${span} ago`;
}

/** Formats in the largest unit that fits, rounded down. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}
