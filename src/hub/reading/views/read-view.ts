/** Renders a session for a participant, now or as of an earlier seq: reads the view's window and shows it. */

import { internalError, WireError } from '../../../core/lib/errors.ts';
import { describeValue, invalidValueError, isPlainObject, isWellFormed, utf8Bytes } from '../../../core/lib/json.ts';
import type { View, ViewLine, ViewMessage } from '../../../core/ports/view.ts';
import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
import { isViewLineFor } from '../../../core/records/session/delivery.ts';
import { HUB_ID } from '../../../core/records/session/envelope.ts';
import { nameOf, participantOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import type { Access } from '../../access/access.ts';
import { dropWithheld } from '../../access/filter-withheld.ts';
import type { Binding } from '../../bindings/binding.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import { authorizeObservation, type ReadingRooms, readableEnd } from '../log/read-access.ts';
import { LineCollector, type LinePage, type LineQuery, pageBefore, readLines } from '../log/read-lines.ts';
import { type ResolvedView, resolveView } from './resolve-view.ts';

type ViewRooms = Pick<
  ReadingRooms,
  'limits' | 'store' | 'events' | 'adapters' | 'views' | 'registry' | 'sessions' | 'redactions' | 'access'
>;

export function readView(rooms: ViewRooms, reader: Binding, params: Params<'read_view'>): Promise<Result<'read_view'>> {
  return rooms.sessions.use(params.session_id, (session) =>
    viewOf(rooms, session, resolveViewer(rooms, session, reader, params, 'read_view'), params),
  );
}

/** The participant to read as: the reader, or any other if the reader holds `observe`. */
export function resolveViewer(
  rooms: Pick<ReadingRooms, 'registry' | 'events'>,
  { durable }: LiveSession,
  reader: Binding,
  { session_id, participant }: Pick<Params<'read_view'>, 'session_id' | 'participant'>,
  op: 'read_view' | 'read_state',
): string {
  const { agentId } = reader;
  if (participant === undefined || durable === null) return agentId;
  const { participants } = durable.metadata;
  const field = 'params.participant';
  const viewer = participants.find(({ agent_id, name }) => agent_id === participant || name === participant);
  if (viewer?.agent_id === agentId) return agentId;
  if (!authorizeObservation(rooms, reader, session_id, op)) {
    // To a non-participant the session does not exist: the caller rejects it as such.
    if (participantOf(durable.metadata, agentId) === undefined) return agentId;
    const message = `${field}: reading as another participant requires the grant "observe"`;
    throw new WireError('forbidden', message, { field });
  }
  if (viewer !== undefined) return viewer.agent_id;
  const message = `${field}: no participant "${participant}" in session ${session_id}`;
  throw new WireError('not_found', message, { field, received: participant });
}

async function viewOf(
  rooms: ViewRooms,
  session: LiveSession,
  agentId: string,
  params: Params<'read_view'>,
): Promise<Result<'read_view'>> {
  const { metadata, end } = readableEnd(session.durable, agentId, session.sessionId);
  const { head_seq, manifest } = metadata;
  const { at_seq = head_seq, view: asked } = params;
  if (at_seq > head_seq) throw invalidValueError('params.at_seq', `a seq of the session, at most ${head_seq}`, at_seq);
  const atSeq = Math.min(at_seq, end);
  // An unavailable session may still have an adapter to render it.
  const adapter = session.adapter ?? rooms.adapters.find(manifest.type, manifest.version)?.adapter ?? null;
  const chosen = await resolveView(rooms, { asked, session, adapter, metadata, agentId, atSeq });
  const { store, limits } = rooms;
  const maxBytes = limits.maxResponseBytes;
  const takes = windowOf(chosen);
  const shown = rooms.redactions.allShown;
  const reading = { session, store, shown, metadata, adapter, agentId, atSeq, takes, maxBytes };
  const read = await (rooms.access.withholdsFrom(agentId)
    ? readAllowedLines(rooms.access, reading)
    : readLines(reading));
  const { messages, left } = showWithin(chosen, { metadata, atSeq, ...read }, maxBytes);
  return {
    messages,
    at_seq: atSeq,
    view: { name: chosen.view.name, params: chosen.params },
    earlier: read.earlier + left,
    next: left > 0 ? (read.taken[left - 1]?.seq ?? null) : read.cutAt,
  };
}

/** The lines read, and the session they are from. */
interface ReadPage extends LinePage {
  readonly metadata: SessionMetadata;
  readonly atSeq: number;
}

/** Shows the lines. If the messages exceed `maxBytes`, drops the oldest lines, but never the newest one. */
function showWithin(
  { view, params }: ResolvedView,
  page: ReadPage,
  maxBytes: number,
): { messages: readonly ViewMessage[]; left: number } {
  for (let left = 0; ; ) {
    const shown = page.taken.slice(left);
    const earlier = { count: page.earlier + left, names: namesBefore(shown[0]?.seq ?? page.atSeq + 1, page) };
    const messages = guarding(view, 'show', () => checkMessages(view.show(shown, earlier, params)));
    const over = overBy(messages, maxBytes);
    if (over === 0 || shown.length <= 1) return { messages, left };
    left = Math.min(left + over, page.taken.length - 1);
  }
}

/** How many of the oldest lines to drop; 0 if all fit. Messages that the view adds stay. */
function overBy(messages: readonly ViewMessage[], maxBytes: number): number {
  const sizes = messages.map((message) => utf8Bytes(JSON.stringify(message)) + 1);
  let bytes = sizes.reduce((sum, size) => sum + size, 2);
  let over = 0;
  for (let i = 0; i < messages.length && bytes > maxBytes; i++) {
    if (messages[i]?.seq === null) continue;
    bytes -= sizes[i] ?? 0;
    over += 1;
  }
  return bytes > maxBytes ? Math.max(1, over) : over;
}

/** Names in the order of the participants, the hub last. */
function namesBefore(seq: number, { metadata, heardBefore }: ReadPage): readonly string[] {
  const heard = heardBefore(seq);
  const known = metadata.participants.map(({ agent_id }) => agent_id).filter((id) => heard.has(id));
  const others = [...heard].filter((id) => !known.includes(id)).sort();
  return [...known, ...others].map((id) => (id === HUB_ID ? HUB_ID : nameOf(metadata, id)));
}

function windowOf({ view, params }: ResolvedView): (line: ViewLine) => boolean {
  const takes = guarding(view, 'window', () => view.window(params));
  return (line) => guarding(view, 'window', () => checkWindowResult(takes(line)));
}

/** A throw or an invalid result is a defect of the view. */
function guarding<T>({ name, version }: View, member: string, call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw internalError(thrown, `${member} of view ${name} version ${version}`);
  }
}

/** Throws at the first invalid message. */
function checkMessages(given: unknown): readonly ViewMessage[] {
  if (!Array.isArray(given)) throw invalidValueError('messages', 'a list', given);
  // Not forEach, which skips holes.
  for (let i = 0; i < given.length; i++) checkMessage(given[i], `messages[${i}]`);
  return given;
}

const MEMBERS = ['role', 'content', 'seq', 'name'] as const;

function checkMessage(message: unknown, where: string): void {
  if (!isPlainObject(message)) throw invalidValueError(where, `an object with ${MEMBERS.join(', ')}`, message);
  const unknown = Object.keys(message).find((key) => !MEMBERS.some((member) => member === key));
  if (unknown !== undefined) throw invalidValueError(`${where}.${unknown}`, `one of ${MEMBERS.join(', ')}`, unknown);
  const { role, content, seq, name } = message;
  if (role !== 'assistant' && role !== 'user') throw invalidValueError(`${where}.role`, 'assistant or user', role);
  if (!isText(content)) throw invalidValueError(`${where}.content`, 'well-formed text', content);
  if (seq !== null && !(Number.isSafeInteger(seq) && Number(seq) >= 1))
    throw invalidValueError(`${where}.seq`, 'a seq or null', seq);
  if (name !== null && !isText(name)) throw invalidValueError(`${where}.name`, 'well-formed text or null', name);
}

function checkWindowResult(given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  throw new Error(`expected true or false, got ${describeValue(given)}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && isWellFormed(value);
}

const PAGE = 512;

/** Reads back to the first entry, so that counts and names do not reveal withheld lines. */
async function readAllowedLines(access: Access, reading: LineQuery): Promise<LinePage> {
  const { agentId, atSeq } = reading;
  const taking = new LineCollector(reading);
  /** Seq of the first line of each sender. */
  const firsts = new Map<string, number>();
  let seen = 0;
  for (let at = atSeq; at >= 1; ) {
    const entries = await pageBefore(reading, at, Math.max(0, at - PAGE));
    const lines = entries.filter(({ envelope }) => isViewLineFor(envelope, agentId));
    for (const { envelope } of await dropWithheld(access, agentId, lines)) {
      seen += 1;
      taking.offer(envelope);
      firsts.set(envelope.sender_id, envelope.seq);
    }
    at -= entries.length;
  }
  const heardBefore = (seq: number): ReadonlySet<string> =>
    new Set([...firsts].filter(([, first]) => first < seq).map(([senderId]) => senderId));
  const { lines: taken, cutAt } = taking;
  return { taken: taken.toReversed(), earlier: seen - taken.length, cutAt, heardBefore };
}
