/** The files whose text means something to a gate. Of every other file a gate checks only that it exists. */

import { type Reason, reason } from './verdict.ts';

/** What is wrong with the text, or null. */
type Semantic = (text: string) => Reason | null;

export const SEMANTICS: Readonly<Record<string, Semantic>> = {
  '.planning/PM_SIGNOFF.md': pmSignoff,
  '.planning/SYSTEM_SPEC.md': systemSpec,
  '.planning/IMPLEMENTATION_NOTES.md': implementationNotes,
  '.planning/acceptance-matrix.md': acceptanceMatrix,
  '.planning/ship-verdict.md': shipVerdict,
  '.planning/RELEASE_NOTES.md': releaseNotes,
};

const SIGNOFF = '.planning/PM_SIGNOFF.md';

function pmSignoff(text: string): Reason | null {
  const value = lineValue(text, /^[ \t]*approved[ \t]*:(.*)$/im);
  if (value === null) return reason('signoff_absent', { path: SIGNOFF });
  return keyword(value) === 'YES' ? null : reason('signoff_not_approved', { path: SIGNOFF, value });
}

const SHIP_VERDICT = '.planning/ship-verdict.md';
const AFFIRMATIVE = ['YES', 'SHIP', 'SHIP IT'];

function shipVerdict(text: string): Reason | null {
  const value = lineValue(text, /^[ \t]*##[ \t]*verdict[ \t]*:(.*)$/im);
  if (value === null) return reason('verdict_absent', { path: SHIP_VERDICT });
  return AFFIRMATIVE.includes(keyword(value)) ? null : reason('verdict_not_affirmative', { path: SHIP_VERDICT, value });
}

const MATRIX = '.planning/acceptance-matrix.md';
const PLACEHOLDER = '(QA FILLS THIS FROM ROADMAP.MD)';
const PASSED = ['PASS', 'PASSED', 'OK', 'YES'];

function acceptanceMatrix(text: string): Reason | null {
  const rows = rowsOf(text).filter(([first = '']) => first !== '' && keyword(first) !== PLACEHOLDER);
  if (rows.length === 0) return reason('matrix_without_rows', { path: MATRIX });
  const failing = rows.filter((cells) => !PASSED.includes(keyword(cells.at(-1) ?? ''))).map(([first = '']) => first);
  return failing.length > 0 ? reason('matrix_rows_not_passed', { path: MATRIX, rows: failing }) : null;
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

interface Document {
  readonly path: string;
  readonly sections: readonly string[];
  /** A line the scaffold wrote. */
  readonly isPlaceholder: (line: string) => boolean;
}

function systemSpec(text: string): Reason | null {
  return lookAt(text, {
    path: '.planning/SYSTEM_SPEC.md',
    sections: ['## Purpose', '## Interface', '## Acceptance Tests'],
    isPlaceholder: (line) => /^\(.*\)$/.test(line) || keyword(line).startsWith('- [ ] NAME THE EXECUTABLE CHECKS'),
  });
}

function implementationNotes(text: string): Reason | null {
  return lookAt(text, {
    path: '.planning/IMPLEMENTATION_NOTES.md',
    sections: ['## Changes', '## Verification'],
    isPlaceholder: (line) => keyword(line) === '(DEV FILLS THIS DURING IMPLEMENTATION)',
  });
}

function releaseNotes(text: string): Reason | null {
  return lookAt(text, {
    path: '.planning/RELEASE_NOTES.md',
    sections: ['## User Impact', '## Verification Summary'],
    isPlaceholder: (line) => keyword(line) === '(QA FILLS THIS DURING THE QA PHASE)',
  });
}

/** A document of the project's own: whatever stands under its titles was written by somebody. */
export function withSections(path: string, titles: readonly string[], text: string): Reason | null {
  const sections = titles.map((title) => (title.startsWith('#') ? title : `## ${title}`));
  return lookAt(text, { path, sections, isPlaceholder: () => false });
}

function lookAt(text: string, { path, sections, isPlaceholder }: Document): Reason | null {
  const found = sections.map((title) => ({ title, lines: sectionLines(text, title) }));
  const absent = found.filter(({ lines }) => lines === null).map(({ title }) => title);
  if (absent.length > 0) return reason('sections_missing', { path, sections: absent });
  const unwritten = found.filter(({ lines }) => (lines ?? []).every(isPlaceholder)).map(({ title }) => title);
  return unwritten.length > 0 ? reason('sections_unwritten', { path, sections: unwritten }) : null;
}

/** What stands behind the key, trimmed; null if the line is absent or says nothing. */
function lineValue(text: string, pattern: RegExp): string | null {
  const value = pattern.exec(text.replaceAll('\r', ''))?.[1]?.trim() ?? '';
  return value === '' ? null : value;
}

/** ` ship  it ` → `SHIP IT`. */
export function keyword(value: string): string {
  return value.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** The lines under `## Title` that are not blank; null if there is no such title. */
function sectionLines(text: string, title: string): readonly string[] | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const begin = lines.findIndex((line) => isHeading(line) && keyword(line) === keyword(title));
  if (begin === -1) return null;
  const after = lines.slice(begin + 1);
  const end = after.findIndex(isHeading);
  return (end === -1 ? after : after.slice(0, end)).filter((line) => line !== '');
}

/** Of the first two levels: deeper ones are part of a section. */
function isHeading(line: string): boolean {
  return /^##?\s/.test(line);
}
