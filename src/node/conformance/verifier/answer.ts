/** What came back from a target, whichever way it was asked: an answer, something that is none, or nothing in time. */

import { STATUSES, type Status } from '../../../governed/conformance/fixture.ts';
import { isMembers } from '../members.ts';

export type Asked =
  | { readonly kind: 'answered'; readonly status: Status; readonly actual: unknown; readonly message: string | null }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'timed_out'; readonly message: string };

/** `what` it was read from, for who has to mend it. */
export function answerIn(text: string, what: string): Asked {
  const answer = jsonIn(text);
  if (!isMembers(answer)) return broken(`${what} is not one JSON object`);
  const { status, actual, message } = answer;
  const known = STATUSES.find((one) => one === status);
  if (known === undefined) return broken(`status: expected one of ${STATUSES.join(', ')}`);
  return { kind: 'answered', status: known, actual, message: typeof message === 'string' ? message : null };
}

/** undefined = it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}

export function broken(message: string): Asked {
  return { kind: 'broken', message };
}
