/** Checks the text of documents that gates read. For all other files, gates check only existence. */

import { type Reason, reason } from './verdict.ts';

/** Returns null if the text has no fault. */
type Semantic = (text: string) => Reason | null;

const SIGNOFF = '.planning/PM_SIGNOFF.md';
const MATRIX = '.planning/acceptance-matrix.md';
const SHIP_VERDICT = '.planning/ship-verdict.md';

export const SEMANTICS: Readonly<Record<string, Semantic>> = {
  [SIGNOFF]: pmSignoff,
  [MATRIX]: acceptanceMatrix,
  [SHIP_VERDICT]: shipVerdict,
  ...sectioned(
    '.planning/SYSTEM_SPEC.md',
    ['## Purpose', '## Interface', '## Acceptance Tests'],
    (line) => /^\(.*\)$/.test(line) || keyword(line).startsWith('- [ ] NAME THE EXECUTABLE CHECKS'),
  ),
  ...sectioned(
    '.planning/IMPLEMENTATION_NOTES.md',
    ['## Changes', '## Verification'],
    (line) => keyword(line) === '(DEV FILLS THIS DURING IMPLEMENTATION)',
  ),
  ...sectioned(
    '.planning/RELEASE_NOTES.md',
    ['## User Impact', '## Verification Summary'],
    (line) => keyword(line) === '(QA FILLS THIS DURING THE QA PHASE)',
  ),
};

/** `isPlaceholder` recognises lines that the scaffold wrote. */
function sectioned(
  path: string,
  sections: readonly string[],
  isPlaceholder: (line: string) => boolean,
): Readonly<Record<string, Semantic>> {
  return { [path]: (text) => sectionReason(text, path, sections, isPlaceholder) };
}

function pmSignoff(text: string): Reason | null {
  const value = lineValue(text, /^[ \t]*approved[ \t]*:(.*)$/im);
  if (value === null) return reason('signoff_absent', { path: SIGNOFF });
  return keyword(value) === 'YES' ? null : reason('signoff_not_approved', { path: SIGNOFF, value });
}

const AFFIRMATIVE = ['YES', 'SHIP', 'SHIP IT'];

function shipVerdict(text: string): Reason | null {
  const value = lineValue(text, /^[ \t]*##[ \t]*verdict[ \t]*:(.*)$/im);
  if (value === null) return reason('verdict_absent', { path: SHIP_VERDICT });
  return AFFIRMATIVE.includes(keyword(value)) ? null : reason('verdict_not_affirmative', { path: SHIP_VERDICT, value });
}

const PLACEHOLDER = '(QA FILLS THIS FROM ROADMAP.MD)';
const PASSED = ['PASS', 'PASSED', 'OK', 'YES'];

function acceptanceMatrix(text: string): Reason | null {
  const rows = rowsOf(text).filter(([first = '']) => first !== '' && keyword(first) !== PLACEHOLDER);
  if (rows.length === 0) return reason('matrix_without_rows', { path: MATRIX });
  const failing = rows.filter((cells) => !PASSED.includes(keyword(cells.at(-1) ?? ''))).map(([first = '']) => first);
  return failing.length > 0 ? reason('matrix_rows_not_passed', { path: MATRIX, rows: failing }) : null;
}

/** Returns the cells of each table row below the header. */
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

/** Checks a project document: every title must exist and have content. */
export function withSections(path: string, titles: readonly string[], text: string): Reason | null {
  const sections = titles.map((title) => (title.startsWith('#') ? title : `## ${title}`));
  return sectionReason(text, path, sections, () => false);
}

function sectionReason(
  text: string,
  path: string,
  titles: readonly string[],
  isPlaceholder: (line: string) => boolean,
): Reason | null {
  const found = titles.map((title) => ({ title, lines: sectionLines(text, title) }));
  const absent = found.filter(({ lines }) => lines === null).map(({ title }) => title);
  if (absent.length > 0) return reason('sections_missing', { path, sections: absent });
  const unwritten = found.filter(({ lines }) => (lines ?? []).every(isPlaceholder)).map(({ title }) => title);
  return unwritten.length > 0 ? reason('sections_unwritten', { path, sections: unwritten }) : null;
}

/** Returns the trimmed value of the line; null if the line is absent or has no value. */
function lineValue(text: string, pattern: RegExp): string | null {
  const value = pattern.exec(text.replaceAll('\r', ''))?.[1]?.trim() ?? '';
  return value === '' ? null : value;
}

/** Converts ` ship  it ` to `SHIP IT`. */
function keyword(value: string): string {
  return value.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** Returns the non-blank lines under a title; null if the title is absent. */
function sectionLines(text: string, title: string): readonly string[] | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const begin = lines.findIndex((line) => isHeading(line) && keyword(line) === keyword(title));
  if (begin === -1) return null;
  const after = lines.slice(begin + 1);
  const end = after.findIndex(isHeading);
  return (end === -1 ? after : after.slice(0, end)).filter((line) => line !== '');
}

/** Recognises headings of levels 1 and 2; deeper headings belong to a section. */
function isHeading(line: string): boolean {
  return /^##?\s/.test(line);
}
