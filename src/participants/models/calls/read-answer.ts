/** Reads an answer as it comes, in events or in one piece, whatever it is called. Only the caller's own code can throw here. */

import type { Endpoint } from '../formats/endpoint.ts';
import { type Failure, malformed, networkFailure, tooLarge } from '../client/failure.ts';
import { isTooDeep, MOST_LEVELS, withoutDepths } from '../json-depth.ts';
import { type AnswerReader, isFailure } from '../formats/model-format.ts';
import type { ModelIo, ModelResponse } from '../model-io.ts';
import { type Pieces, peeked, piecesOf } from '../pieces.ts';
import { asObject, parseJson } from '../read-json.ts';
import { type SseEvent, SseReader } from '../formats/sse.ts';
import type { Watch } from './call-timeouts.ts';

export interface Try {
  readonly endpoint: Endpoint;
  readonly body: string;
  readonly isStream: boolean;
  readonly reader: AnswerReader;
  readonly watch: Watch;
  readonly io: ModelIo;
  readonly hand: (text: string) => void;
}

const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
/** For what may follow the end of an answer, such as its usage. */
const LAST_WORD_MS = 5_000;

/** Servers that cannot stream answer in one piece, whatever they were asked for. */
function isEvents({ isStream }: Try, { headers }: ModelResponse): boolean {
  const type = headers.get('content-type') ?? '';
  return /event-stream/i.test(type) || (isStream && !/json|html/i.test(type));
}

export async function readAnswer(one: Try, response: ModelResponse): Promise<Failure | null> {
  const pieces = piecesOf(one.watch, response.body?.getReader());
  if (!isEvents(one, response)) return readWhole(one, pieces);
  // Some call it a stream and send one piece of JSON, which no event begins like.
  const { isObject, all } = await peeked(pieces);
  return isObject ? readWhole(one, all) : readEvents(one, all);
}

async function readEvents(one: Try, pieces: Pieces): Promise<Failure | null> {
  const { reader, watch } = one;
  const events = new SseReader();
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array))
      return reader.isComplete ? null : broken(watch, 'the answer broke off', piece.thrown);
    const failure = hear(one, pushed(events, piece));
    if (failure !== null || reader.isOver) return failure;
    if (reader.isComplete) watch.touch(LAST_WORD_MS);
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
    const heard = isTooDeep(event.data) ? tooDeep(reader.take(shallow(event))) : reader.take(event);
    if (isFailure(heard)) return heard;
    if (heard !== '') hand(heard);
    if (reader.isOver) break;
  }
  return null;
}

function shallow({ event, data }: SseEvent): SseEvent {
  return { event, data: withoutDepths(data) };
}

/** What could be read of it told what it used, or why nothing will ever come of it. */
function tooDeep(heard: string | Failure): Failure {
  if (isFailure(heard) && heard.class === 'permanent') return heard;
  return malformed(`the answer is JSON of more than ${MOST_LEVELS} levels`);
}

async function readWhole(one: Try, pieces: Pieces): Promise<Failure | null> {
  const { text, failure } = await readText(one, pieces, MOST_ANSWER_BYTES);
  if (failure !== null) return failure;
  const isDeep = isTooDeep(text);
  const body = asObject(parseJson(isDeep ? withoutDepths(text) : text));
  if (body === null) return malformed(`the answer is no JSON object: ${text}`);
  const taken = one.reader.takeWhole(body);
  const heard = isDeep ? tooDeep(taken) : taken;
  if (isFailure(heard)) return heard;
  if (heard !== '') one.hand(heard);
  return null;
}

export async function readText(
  { watch }: Try,
  pieces: Pieces,
  mostBytes: number,
): Promise<{ readonly text: string; readonly failure: Failure | null }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) return { text, failure: broken(watch, 'the answer broke off', piece.thrown) };
    bytes += piece.length;
    if (bytes > mostBytes) return { text, failure: tooLarge(`the answer has more than ${mostBytes} bytes`) };
    text += decoder.decode(piece, { stream: true });
  }
  return { text: text + decoder.decode(), failure: null };
}

/** Why nothing more came: a clock of ours, or the network. */
export function broken({ endedBy }: Watch, what: string, thrown: unknown): Failure {
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
