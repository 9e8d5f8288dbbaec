/** `Approved: YES`, on a line of its own. */

import { type Reason, reason } from '../verdict.ts';
import { lineValue, word } from './text.ts';

const PATH = '.planning/PM_SIGNOFF.md';

export function pmSignoff(text: string): Reason | null {
  const value = lineValue(text, /^[ \t]*approved[ \t]*:(.*)$/im);
  if (value === null) return reason('signoff_absent', { path: PATH });
  return word(value) === 'YES' ? null : reason('signoff_not_approved', { path: PATH, value });
}
