/** Documents that need certain sections, with something in them that somebody wrote. */

import { type Reason, reason } from '../verdict.ts';
import { sectionLines, word } from './text.ts';

interface Document {
  readonly path: string;
  readonly sections: readonly string[];
  /** A line the scaffold wrote. */
  readonly isPlaceholder: (line: string) => boolean;
}

export function systemSpec(text: string): Reason | null {
  return lookAt(text, {
    path: '.planning/SYSTEM_SPEC.md',
    sections: ['## Purpose', '## Interface', '## Acceptance Tests'],
    isPlaceholder: (line) => /^\(.*\)$/.test(line) || word(line).startsWith('- [ ] NAME THE EXECUTABLE CHECKS'),
  });
}

export function implementationNotes(text: string): Reason | null {
  return lookAt(text, {
    path: '.planning/IMPLEMENTATION_NOTES.md',
    sections: ['## Changes', '## Verification'],
    isPlaceholder: (line) => word(line) === '(DEV FILLS THIS DURING IMPLEMENTATION)',
  });
}

export function releaseNotes(text: string): Reason | null {
  return lookAt(text, {
    path: '.planning/RELEASE_NOTES.md',
    sections: ['## User Impact', '## Verification Summary'],
    isPlaceholder: (line) => word(line) === '(QA FILLS THIS DURING THE QA PHASE)',
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
