/** Sends HTTP requests to a target. The time limit covers the body; refuses redirects, which would leak the token. */

import { asError } from '../../../core/lib/errors.ts';
import { readBoundedText, reasonOf } from '../../../system/bounded-body.ts';
import { isMembers, STATUSES, type Status } from '../fixture.ts';

export interface Requested {
  readonly token: string | null;
  readonly timeoutMs: number;
  /** Body to POST as JSON; without a body, the request is a GET. */
  readonly body?: string;
}

interface Responded {
  readonly kind: 'response';
  readonly status: number;
  readonly text: string;
}

type Came =
  | Responded
  | { readonly kind: 'late'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

const MAX_BODY_BYTES = 8 * 1024 * 1024;

export async function request(url: string, { token, timeoutMs, body }: Requested): Promise<Came> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal,
    });
    const text = await readBoundedText(response, MAX_BODY_BYTES);
    if (text === null) return { kind: 'failed', message: `the body has more than ${MAX_BODY_BYTES} bytes` };
    return { kind: 'response', status: response.status, text };
  } catch (thrown) {
    if (signal.aborted) return { kind: 'late', message: `no whole answer within ${timeoutMs} ms` };
    return { kind: 'failed', message: reasonOf(asError(thrown)) };
  }
}

export function said({ status, text }: Responded): string {
  const body = parseJson(text);
  const message = isMembers(body) && typeof body.message === 'string' ? `: ${body.message}` : '';
  return `HTTP ${status}${message}`;
}

export type Asked =
  | { readonly kind: 'answered'; readonly status: Status; readonly actual: unknown; readonly message: string | null }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'timed_out'; readonly message: string };

/** `what` names the source in error messages. */
export function parseAnswer(text: string, what: string): Asked {
  const answer = parseJson(text);
  if (!isMembers(answer)) return broken(`${what} is not one JSON object`);
  const { status, actual, message } = answer;
  const known = STATUSES.find((one) => one === status);
  if (known === undefined) return broken(`status: expected one of ${STATUSES.join(', ')}`);
  return { kind: 'answered', status: known, actual, message: typeof message === 'string' ? message : null };
}

/** Returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}

export function broken(message: string): Asked {
  return { kind: 'broken', message };
}
