/** Makes one attempt of a call: sends it, reads the answer and classifies the outcome. Throws only errors of callbacks. */

import { msFromHttpDate } from '../../../core/lib/time.ts';
import { asObject, isTooDeep, MAX_LEVELS, parseJson, truncateDepth } from '../../lib/read-json.ts';
import {
  type Failure,
  httpFailure,
  malformedFailure,
  networkFailure,
  rejectsForcedTools,
  tooLargeFailure,
} from '../client/failure.ts';
import { parseErrorBody } from '../formats/api-error.ts';
import type { Endpoint } from '../formats/endpoint.ts';
import { type Answer, type AnswerReader, isFailure } from '../formats/model-format.ts';
import { type SseEvent, SseReader } from '../formats/sse.ts';
import type { CallTimeouts } from './call-timeouts.ts';
import type { ByteReader, ModelIo, ModelResponse } from './served-model.ts';

interface ModelAttempt {
  readonly endpoint: Endpoint;
  readonly body: string;
  readonly isStream: boolean;
  readonly reader: AnswerReader;
  readonly watch: CallTimeouts;
  readonly io: ModelIo;
  readonly hand: (text: string) => void;
}

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

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Wait for events after the end of an answer, such as its usage. */
const LAST_WORD_MS = 5_000;

/** False if the server answers in one piece: some do even when asked to stream. */
function isEvents({ isStream }: ModelAttempt, { headers }: ModelResponse): boolean {
  const type = headers.get('content-type') ?? '';
  return /event-stream/i.test(type) || (isStream && !/json|html/i.test(type));
}

async function readAnswer(one: ModelAttempt, response: ModelResponse): Promise<Failure | null> {
  const pieces = readBytes(one.watch, response.body?.getReader());
  if (!isEvents(one, response)) return readWhole(one, pieces);
  // Some servers label one JSON object as a stream; no event begins with a brace.
  const { isObject, all } = await peekJson(pieces);
  return isObject ? readWhole(one, all) : readEvents(one, all);
}

async function readEvents(one: ModelAttempt, pieces: ByteStream): Promise<Failure | null> {
  const { reader, watch } = one;
  const events = new SseReader();
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array))
      return reader.isComplete ? null : interruptedError(watch, 'the answer broke off', piece.thrown);
    const failure = hear(one, pushed(events, piece));
    if (failure !== null || reader.isOver) return failure;
    if (reader.isComplete) watch.touch(LAST_WORD_MS);
  }
  return reader.isComplete ? null : networkFailure('the answer broke off before its end');
}

function pushed(events: SseReader, bytes: Uint8Array): readonly SseEvent[] | Failure {
  try {
    return events.push(bytes);
  } catch (thrown) {
    if (thrown instanceof RangeError) return tooLargeFailure(thrown.message);
    throw thrown;
  }
}

function hear({ reader, hand }: ModelAttempt, events: readonly SseEvent[] | Failure): Failure | null {
  if ('class' in events) return events;
  for (const event of events) {
    const heard = isTooDeep(event.data) ? tooDeep(reader.take(shallow(event))) : reader.take(event);
    if (isFailure(heard)) return heard;
    if (heard !== '') hand(heard);
    if (reader.isOver) break;
  }
  return null;
}

function shallow({ event, data }: SseEvent): SseEvent {
  return { event, data: truncateDepth(data) };
}

/** The failure of an answer nested too deeply, unless its readable part reports a permanent error. */
function tooDeep(heard: string | Failure): Failure {
  if (isFailure(heard) && heard.class === 'permanent') return heard;
  return malformedFailure(`the answer is JSON of more than ${MAX_LEVELS} levels`);
}

async function readWhole(one: ModelAttempt, pieces: ByteStream): Promise<Failure | null> {
  const { text, failure } = await readText(one, pieces, MAX_ANSWER_BYTES);
  if (failure !== null) return failure;
  const isDeep = isTooDeep(text);
  const body = asObject(parseJson(isDeep ? truncateDepth(text) : text));
  if (body === null) return malformedFailure(`the answer is not a JSON object: ${text}`);
  const taken = one.reader.takeWhole(body);
  const heard = isDeep ? tooDeep(taken) : taken;
  if (isFailure(heard)) return heard;
  if (heard !== '') one.hand(heard);
  return null;
}

async function readText(
  { watch }: ModelAttempt,
  pieces: ByteStream,
  mostBytes: number,
): Promise<{ readonly text: string; readonly failure: Failure | null }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array))
      return { text, failure: interruptedError(watch, 'the answer broke off', piece.thrown) };
    bytes += piece.length;
    if (bytes > mostBytes) return { text, failure: tooLargeFailure(`the answer has more than ${mostBytes} bytes`) };
    text += decoder.decode(piece, { stream: true });
  }
  return { text: text + decoder.decode(), failure: null };
}

/** Names the cause: one of our timeouts, or the network. */
function interruptedError({ endedBy }: CallTimeouts, what: string, thrown: unknown): Failure {
  if (endedBy === 'wall') return networkFailure(`${what} before the timeout`, 'wall');
  if (endedBy === 'idle') return networkFailure(`${what}: silence`, 'idle');
  return networkFailure(`${what}: ${reasonOf(thrown)}`);
}

/** Platforms put the reason into `cause`. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  return cause instanceof Error ? `${thrown.message} (${cause.message || cause.name})` : thrown.message;
}

/** Chunks of the answer; the last item is the error that broke the stream, if any. */
type ByteStream = AsyncGenerator<Uint8Array | { readonly thrown: unknown }>;

async function* readBytes(watch: CallTimeouts, reader: ByteReader | undefined): ByteStream {
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await watch.until(reader.read());
      if (done) return;
      watch.touch();
      if (value !== undefined) yield value;
    }
  } catch (thrown) {
    yield { thrown };
  } finally {
    // Also runs if the caller stops early: tell the sender to stop.
    reader.cancel().catch(() => {});
  }
}

/** Checks whether the stream begins like a JSON object; `all` replays it from the start. */
async function peekJson(pieces: ByteStream): Promise<{ readonly isObject: boolean; readonly all: ByteStream }> {
  const first: (Uint8Array | { readonly thrown: unknown })[] = [];
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return { isObject: false, all: rejoined(first, pieces) };
    first.push(value);
    const sign = value instanceof Uint8Array ? value.find((byte) => !BLANKS.has(byte)) : 0;
    if (sign !== undefined) return { isObject: sign === OPENING, all: rejoined(first, pieces) };
  }
}

const OPENING = 0x7b;
/** White space and the byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

async function* rejoined(first: readonly (Uint8Array | { readonly thrown: unknown })[], rest: ByteStream): ByteStream {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
