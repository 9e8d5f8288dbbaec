/** One try of a call: ask, read the answer as it comes, and say what became of it. Only the caller's own code can throw here. */

import { complaintOf } from './complaint.ts';
import type { Endpoint } from './endpoint.ts';
import { type Failure, httpFailure, malformed, networkFailure, tooLarge } from './failure.ts';
import { blamesForce } from './forced-tools.ts';
import { type Answer, type AnswerReader, isFailure } from './model-format.ts';
import type { ByteReader, ModelIo, ModelResponse } from './model-io.ts';
import { asObject, parseJson } from './read-json.ts';
import { retryAfterMs } from './retry-after.ts';
import { type SseEvent, SseReader } from './sse.ts';
import type { Watch } from './watch.ts';

export interface Try {
  readonly endpoint: Endpoint;
  readonly body: string;
  readonly isStream: boolean;
  readonly reader: AnswerReader;
  readonly watch: Watch;
  readonly io: ModelIo;
  readonly hand: (text: string) => void;
}

export interface Tried {
  readonly came: Answer | Failure;
  readonly requestId: string | null;
  readonly blamesForce: boolean;
}

const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const MOST_COMPLAINT_BYTES = 64 * 1024;

export async function tryOnce(one: Try): Promise<Tried> {
  try {
    const response = await ask(one);
    if ('class' in response) return { came: response, requestId: null, blamesForce: false };
    const requestId = response.headers.get('request-id') ?? response.headers.get('x-request-id');
    if (response.status < 200 || response.status > 299) return await refused(one, response, requestId);
    const failure = await (isEvents(one, response) ? readEvents(one, response) : readWhole(one, response));
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
  const { text } = await readText(one, response, MOST_COMPLAINT_BYTES);
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

/** Servers that cannot stream answer in one piece, whatever they were asked for. */
function isEvents({ isStream }: Try, { headers }: ModelResponse): boolean {
  const type = headers.get('content-type') ?? '';
  return /event-stream/i.test(type) || (isStream && !/json|html/i.test(type));
}

async function readEvents(one: Try, { body }: ModelResponse): Promise<Failure | null> {
  const { reader, watch } = one;
  const events = new SseReader();
  for await (const piece of piecesOf(watch, body?.getReader())) {
    if (!(piece instanceof Uint8Array))
      return reader.isComplete ? null : broken(watch, 'the answer broke off', piece.thrown);
    const failure = hear(one, pushed(events, piece));
    if (failure !== null || reader.isOver) return failure;
  }
  return reader.isComplete ? null : networkFailure('the answer broke off before its end');
}

/** Events larger than any may be end the answer. */
function pushed(events: SseReader, bytes: Uint8Array): readonly SseEvent[] | Failure {
  try {
    return events.push(bytes);
  } catch (thrown) {
    if (thrown instanceof RangeError) return tooLarge(thrown.message);
    throw thrown;
  }
}

function hear({ reader, hand }: Try, events: readonly SseEvent[] | Failure): Failure | null {
  if ('class' in events) return events;
  for (const event of events) {
    const heard = reader.take(event);
    if (isFailure(heard)) return heard;
    if (heard !== '') hand(heard);
    if (reader.isOver) break;
  }
  return null;
}

async function readWhole(one: Try, response: ModelResponse): Promise<Failure | null> {
  const { text, failure } = await readText(one, response, MOST_ANSWER_BYTES);
  if (failure !== null) return failure;
  const body = asObject(parseJson(text));
  if (body === null) return malformed(`the answer is no JSON object: ${text}`);
  const heard = one.reader.takeWhole(body);
  if (isFailure(heard)) return heard;
  if (heard !== '') one.hand(heard);
  return null;
}

async function readText(
  { watch }: Try,
  { body }: ModelResponse,
  mostBytes: number,
): Promise<{ readonly text: string; readonly failure: Failure | null }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of piecesOf(watch, body?.getReader())) {
    if (!(piece instanceof Uint8Array)) return { text, failure: broken(watch, 'the answer broke off', piece.thrown) };
    bytes += piece.length;
    if (bytes > mostBytes) return { text, failure: tooLarge(`the answer has more than ${mostBytes} bytes`) };
    text += decoder.decode(piece, { stream: true });
  }
  return { text: text + decoder.decode(), failure: null };
}

/** The bytes as they come; last of all what broke them off, if something did. */
async function* piecesOf(
  watch: Watch,
  reader: ByteReader | undefined,
): AsyncGenerator<Uint8Array | { thrown: unknown }> {
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
    // Also when nobody wants the rest; whoever sends it may not have heard that.
    reader.cancel().catch(() => {});
  }
}

/** Why nothing more came: a clock of ours, or the network. */
function broken({ endedBy }: Watch, what: string, thrown: unknown): Failure {
  if (endedBy === 'wall') return networkFailure(`${what} in the time there was`, 'wall');
  if (endedBy === 'idle') return networkFailure(`${what}: silence`, 'idle');
  return networkFailure(`${what}: ${reasonOf(thrown)}`);
}

/** Platforms hide the reason one level down. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  return cause instanceof Error ? `${thrown.message} (${cause.message || cause.name})` : thrown.message;
}
