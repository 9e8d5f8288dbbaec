/** Asking a condition or target: what it throws, or answers that it may not, is its own defect and is told with its rule. */

import { HubError, type Json } from 'parley-hub/core';
import { isObject, shown } from '../parts/field-error.ts';

/** A defect of a part that is named in it already. */
export class PartDefect extends HubError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('bad_rule_part', message, options);
  }
}

/** What a part may answer. */
export interface Answers<T> {
  readonly expected: string;
  isOne(answer: unknown): answer is T;
}

/** `who` is the part and its rule, for the error. */
export function askPart<T>(who: string, answers: Answers<T>, ask: () => unknown): T {
  const answer = tried(who, ask);
  if (answers.isOne(answer)) return answer;
  throw new PartDefect(`${who} gave ${described(answer)}; expected ${answers.expected}`);
}

function tried(who: string, ask: () => unknown): unknown {
  try {
    return ask();
  } catch (thrown) {
    // An inner condition is to blame for its own defect, not the one around it.
    if (thrown instanceof PartDefect) throw thrown;
    throw new PartDefect(`${who} threw ${thrown instanceof Error ? thrown.message : described(thrown)}`, {
      cause: thrown,
    });
  }
}

function described(answer: unknown): string {
  if (answer instanceof Promise) {
    // Nobody waits for it: without this its failure would end the process.
    answer.catch(() => {});
    return 'a promise';
  }
  if (typeof answer === 'number') return String(answer);
  try {
    return shown(answer);
  } catch {
    return `a value of type ${typeof answer}`;
  }
}

export const YES_OR_NO: Answers<boolean> = {
  expected: 'true or false',
  isOne: (answer): answer is boolean => typeof answer === 'boolean',
};

/** Members of an object as nobody has looked at them. */
export function membersOf(value: unknown): { readonly [key: string]: Json | undefined } | null {
  return isObject(value) ? value : null;
}
