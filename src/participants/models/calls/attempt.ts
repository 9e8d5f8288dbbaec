/** One try of a call: ask, read the answer as it comes, and say what became of it. Only the caller's own code can throw here. */

import { complaintOf } from '../formats/api-error.ts';
import { type Failure, httpFailure } from '../client/failure.ts';
import { blamesForce } from '../forced-tools.ts';
import type { Answer } from '../formats/model-format.ts';
import type { ModelResponse } from '../model-io.ts';
import { piecesOf } from '../pieces.ts';
import { broken, readAnswer, readText, type Try } from './read-answer.ts';
import { retryAfterMs } from '../retry-after.ts';

export interface Tried {
  readonly came: Answer | Failure;
  readonly requestId: string | null;
  readonly blamesForce: boolean;
}

const MOST_COMPLAINT_BYTES = 64 * 1024;

export async function tryOnce(one: Try): Promise<Tried> {
  try {
    const response = await ask(one);
    if ('class' in response) return { came: response, requestId: null, blamesForce: false };
    const requestId = response.headers.get('request-id') ?? response.headers.get('x-request-id');
    if (response.status < 200 || response.status > 299) return await refused(one, response, requestId);
    const failure = await readAnswer(one, response);
    return { came: failure ?? one.reader.answer(), requestId, blamesForce: false };
  } finally {
    one.watch.close();
  }
}

async function ask({ endpoint, body, watch, io }: Try): Promise<ModelResponse | Failure> {
  const { url, headers } = endpoint;
  const init = { method: 'POST', headers: { ...headers }, body, redirect: 'manual', signal: watch.signal } as const;
  try {
    const response = await watch.until(io.fetch(url, init));
    watch.touch();
    return response;
  } catch (thrown) {
    return broken(watch, 'no answer', thrown);
  }
}

/** What a service that refuses says; a page that never ends is not waited for. */
async function refused(one: Try, response: ModelResponse, requestId: string | null): Promise<Tried> {
  const { status, headers } = response;
  const pieces = piecesOf(one.watch, response.body?.getReader());
  const { text } = await readText(one, pieces, MOST_COMPLAINT_BYTES);
  const isElsewhere = status === 0 || (status >= 300 && status < 400);
  const complaint = isElsewhere
    ? {
        message: 'it sends us elsewhere, where the key must not go: set baseUrl to the right address',
        words: [],
        param: null,
      }
    : complaintOf(text);
  const about = { retryAfterMs: retryAfterMs(headers, one.io.clock.now()), requestId };
  return { came: httpFailure(status, complaint, about), requestId, blamesForce: blamesForce(status, complaint) };
}
