/** A request to a target: its time covers the body too, which is bounded, and nobody sends us on: they would get the token. */

import { asError } from '../../../core/lib/errors.ts';
import { boundedText, reasonOf } from '../../../system/bounded-body.ts';
import { isMembers } from '../../../node/conformance/members.ts';
import { jsonIn } from '../../../node/conformance/verifier/answer.ts';

export interface Requested {
  readonly token: string | null;
  readonly timeoutMs: number;
  /** Posted as JSON; absent = it is a GET. */
  readonly body?: string;
}

export interface Responded {
  readonly kind: 'response';
  readonly status: number;
  readonly text: string;
}

export type Came =
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
    const text = await boundedText(response, MAX_BODY_BYTES);
    if (text === null) return { kind: 'failed', message: `the body has more than ${MAX_BODY_BYTES} bytes` };
    return { kind: 'response', status: response.status, text };
  } catch (thrown) {
    if (signal.aborted) return { kind: 'late', message: `no whole answer within ${timeoutMs} ms` };
    return { kind: 'failed', message: reasonOf(asError(thrown)) };
  }
}

/** `HTTP 500: what it said`. */
export function said({ status, text }: Responded): string {
  const body = jsonIn(text);
  const message = isMembers(body) && typeof body.message === 'string' ? `: ${body.message}` : '';
  return `HTTP ${status}${message}`;
}
