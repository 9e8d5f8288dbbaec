/** A table of requirements, each of which has passed. */

import { type Reason, reason } from '../verdict.ts';
import { word } from './text.ts';

const PATH = '.planning/acceptance-matrix.md';
const PLACEHOLDER = '(QA FILLS THIS FROM ROADMAP.MD)';
const PASSED = ['PASS', 'PASSED', 'OK', 'YES'];

export function acceptanceMatrix(text: string): Reason | null {
  const rows = rowsOf(text).filter(([first = '']) => first !== '' && word(first) !== PLACEHOLDER);
  if (rows.length === 0) return reason('matrix_without_rows', { path: PATH });
  const failing = rows.filter((cells) => !PASSED.includes(word(cells.at(-1) ?? ''))).map(([first = '']) => first);
  return failing.length > 0 ? reason('matrix_rows_not_passed', { path: PATH, rows: failing }) : null;
}

/** The cells of each row under the header, to the end of the table. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const header = lines.findIndex((line) => /^\|\s*req #\s*\|/i.test(line));
  if (header === -1) return [];
  const after = lines.slice(header + 1);
  const end = after.findIndex((line) => !line.startsWith('|'));
  const table = end === -1 ? after : after.slice(0, end);
  return table.filter((line) => !/^[|\s:-]+$/.test(line)).map(cellsOf);
}

function cellsOf(line: string): readonly string[] {
  const inner = line.replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}
