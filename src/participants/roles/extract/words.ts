/** What is wrong, as one line for an error and for the agent that is told of it. Pure. */

import type { ExtractIssue } from '../lib/standard-schema.ts';

/** A schema can have any number of complaints, and quote what it got in each. */
const MOST_ISSUES = 20;
const MOST_CHARS = 300;

export function wordsOf(issues: readonly ExtractIssue[]): string {
  const shown = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => cut(path === '' ? message : `${path}: ${message}`));
  const more = issues.length > MOST_ISSUES ? [`and ${issues.length - MOST_ISSUES} more`] : [];
  return [...shown, ...more].join('; ');
}

function cut(text: string): string {
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS - 1)}…` : text;
}
