/** `## Verdict: SHIP`, or another word that says so. */

import { type Reason, reason } from '../verdict.ts';
import { lineValue, word } from './text.ts';

const PATH = '.planning/ship-verdict.md';
const AFFIRMATIVE = ['YES', 'SHIP', 'SHIP IT'];

export function shipVerdict(text: string): Reason | null {
  const value = lineValue(text, /^[ \t]*##[ \t]*verdict[ \t]*:(.*)$/im);
  if (value === null) return reason('verdict_absent', { path: PATH });
  return AFFIRMATIVE.includes(word(value)) ? null : reason('verdict_not_affirmative', { path: PATH, value });
}
