/** One try of a call: ask, read the answer as it comes, and say what became of it. Only the caller's own code can throw here. */

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

const MAX_COMPLAINT_BYTES = 64 * 1024;

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

/** What a service that refuses says; a page that never ends is not waited for. */
async function refused(one: ModelAttempt, response: ModelResponse, requestId: string | null): Promise<AttemptResult> {
  const { status, headers } = response;
  const pieces = readBytes(one.watch, response.body?.getReader());
  const { text } = await readText(one, pieces, MAX_COMPLAINT_BYTES);
  const isElsewhere = status === 0 || (status >= 300 && status < 400);
  const complaint = isElsewhere
    ? {
        message: 'it sends us elsewhere, where the key must not go: set baseUrl to the right address',
        words: [],
        param: null,
      }
    : parseErrorBody(text);
  const about = { retryAfterMs: retryAfterMs(headers, one.io.clock.now()), requestId };
  return { came: httpFailure(status, complaint, about), requestId, blamesForce: rejectsForcedTools(status, complaint) };
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, the longer of both; null when neither says anything. */
export function retryAfterMs(headers: { get(name: string): string | null }, nowMs: number): number | null {
  const exact = countOf(headers.get('retry-after-ms'));
  const usual = usualMs(headers.get('retry-after')?.trim() ?? '', nowMs);
  return exact === null || usual === null ? (exact ?? usual) : Math.max(exact, usual);
}

function usualMs(value: string, nowMs: number): number | null {
  const seconds = countOf(value);
  if (seconds !== null) return Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER);
  const at = msFromHttpDate(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

function countOf(text: string | null): number | null {
  const value = text?.trim() ?? '';
  return /^\d{1,100}(?:\.\d{1,9})?$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : null;
}
