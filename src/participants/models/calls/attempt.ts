/** One attempt of a call: sends it, reads the answer and classifies the outcome. Throws only what callbacks throw. */

import { msFromHttpDate } from '../../../core/lib/time.ts';
import { type Failure, httpFailure, rejectsForcedTools } from '../client/failure.ts';
import { parseErrorBody } from '../formats/api-error.ts';
import type { Answer } from '../formats/model-format.ts';
import { interruptedError, type ModelAttempt, readAnswer, readBytes, readText } from './read-answer.ts';
import type { ModelResponse } from './served-model.ts';

export interface AttemptResult {
  readonly came: Answer | Failure;
  readonly requestId: string | null;
  readonly blamesForce: boolean;
}

const MAX_ERROR_BYTES = 64 * 1024;

export async function attemptCall(one: ModelAttempt): Promise<AttemptResult> {
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

async function ask({ endpoint, body, watch, io }: ModelAttempt): Promise<ModelResponse | Failure> {
  const { url, headers } = endpoint;
  const init = { method: 'POST', headers: { ...headers }, body, redirect: 'manual', signal: watch.signal } as const;
  try {
    const response = await watch.until(io.fetch(url, init));
    watch.touch();
    return response;
  } catch (thrown) {
    return interruptedError(watch, 'no answer', thrown);
  }
}

/** Reads the error body of a rejected call, up to a limit. */
async function refused(one: ModelAttempt, response: ModelResponse, requestId: string | null): Promise<AttemptResult> {
  const { status, headers } = response;
  const pieces = readBytes(one.watch, response.body?.getReader());
  const { text } = await readText(one, pieces, MAX_ERROR_BYTES);
  const isElsewhere = status === 0 || (status >= 300 && status < 400);
  const complaint = isElsewhere
    ? {
        message: 'it redirects, but the key must not go elsewhere: set baseUrl to the right address',
        words: [],
        param: null,
      }
    : parseErrorBody(text);
  const about = { retryAfterMs: retryAfterMs(headers, one.io.clock.now()), requestId };
  return { came: httpFailure(status, complaint, about), requestId, blamesForce: rejectsForcedTools(status, complaint) };
}

/** The longer of `retry-after-ms` and `retry-after` (seconds or a date); null when neither is set. */
export function retryAfterMs(headers: { get(name: string): string | null }, nowMs: number): number | null {
  const exact = countOf(headers.get('retry-after-ms'));
  const standard = standardMs(headers.get('retry-after')?.trim() ?? '', nowMs);
  return exact === null || standard === null ? (exact ?? standard) : Math.max(exact, standard);
}

function standardMs(value: string, nowMs: number): number | null {
  const seconds = countOf(value);
  if (seconds !== null) return Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER);
  const at = msFromHttpDate(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

function countOf(text: string | null): number | null {
  const value = text?.trim() ?? '';
  return /^\d{1,100}(?:\.\d{1,9})?$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : null;
}
