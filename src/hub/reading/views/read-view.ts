/** What a participant sees of a session, now or as of an earlier seq: the view's window, read and shown. */

import { HUB_ID } from '../../../core/records/session/envelope.ts';
import { internalError, WireError } from '../../../core/lib/errors.ts';
import { badValue, utf8Bytes } from '../../../core/lib/json.ts';
import type { Params, Result } from '../../../core/operations.ts';
import { nameOf, participantOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import type { View, ViewLine, ViewMessage } from '../../../core/ports/view.ts';
import type { Binding } from '../../bindings.ts';
import { checkMessages, checkTaken } from '../../check-messages.ts';
import { type ChosenView, chooseView } from './resolve-view.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import { observes } from '../../observes.ts';
import type { HubParts } from '../../parts.ts';
import { readAllowedLines } from '../../read-allowed-lines.ts';
import { type LinesRead, readLines } from '../log/read-lines.ts';
import { readableEnd } from '../../readable-end.ts';

export function readView(parts: HubParts, reader: Binding, params: Params<'read_view'>): Promise<Result<'read_view'>> {
  return parts.sessions.use(params.session_id, (session) =>
    viewOf(parts, session, seenBy(parts, session, reader.agentId, params, 'read_view'), params),
  );
}

/** Whose eyes: one's own, or with the grant those of somebody in the session. */
export function seenBy(
  parts: HubParts,
  { durable }: LiveSession,
  agentId: string,
  { session_id, participant }: Pick<Params<'read_view'>, 'session_id' | 'participant'>,
  op: 'read_view' | 'read_state',
): string {
  if (participant === undefined || durable === null) return agentId;
  const { participants } = durable.metadata;
  const seer = participants.find(({ agent_id, name }) => agent_id === participant || name === participant);
  if (seer?.agent_id === agentId) return agentId;
  if (!observes(parts, agentId, session_id, op)) {
    // To a stranger there is no such session.
    if (participantOf(durable.metadata, agentId) === undefined) return agentId;
    throw new WireError('forbidden', 'params.participant: what others see takes the grant "observe"', {
      field: 'params.participant',
    });
  }
  if (seer !== undefined) return seer.agent_id;
  throw new WireError('not_found', `params.participant: nobody called "${participant}" is in session ${session_id}`, {
    field: 'params.participant',
    received: participant,
  });
}

async function viewOf(
  parts: HubParts,
  session: LiveSession,
  agentId: string,
  params: Params<'read_view'>,
): Promise<Result<'read_view'>> {
  const { metadata, end } = readableEnd(session.durable, agentId, session.sessionId);
  const { head_seq, manifest } = metadata;
  const { at_seq = head_seq, view: asked } = params;
  if (at_seq > head_seq) throw badValue('params.at_seq', `a seq of the session, at most ${head_seq}`, at_seq);
  const atSeq = Math.min(at_seq, end);
  // A session that cannot go on may still have an adapter to render it.
  const adapter = session.adapter ?? parts.adapters.find(manifest.type, manifest.version)?.adapter ?? null;
  const chosen = await chooseView(parts, { asked, session, adapter, metadata, agentId, atSeq });
  const { store, limits } = parts;
  const maxBytes = limits.maxResponseBytes;
  const takes = windowOf(chosen);
  const shown = parts.redactions.allShown;
  const reading = { session, store, shown, metadata, adapter, agentId, atSeq, takes, maxBytes };
  const read = await (parts.gate.withholdsFrom(agentId) ? readAllowedLines(parts.gate, reading) : readLines(reading));
  const seen = { metadata, atSeq, earlier: read.earlier, heardBefore: read.heardBefore };
  const { messages, left } = showWithin(chosen, read.taken, seen, maxBytes);
  return {
    messages,
    at_seq: atSeq,
    view: { name: chosen.view.name, params: chosen.params },
    earlier: read.earlier + left,
    next: left > 0 ? (read.taken[left - 1]?.seq ?? null) : read.cutAt,
  };
}

interface Seen {
  readonly metadata: SessionMetadata;
  readonly atSeq: number;
  /** Lines before all that were taken. */
  readonly earlier: number;
  readonly heardBefore: LinesRead['heardBefore'];
}

/** What is shown may be longer than what was read: then the oldest are left out, but never the newest. */
function showWithin(
  { view, params }: ChosenView,
  taken: readonly ViewLine[],
  seen: Seen,
  maxBytes: number,
): { messages: readonly ViewMessage[]; left: number } {
  for (let left = 0; ; ) {
    const shown = taken.slice(left);
    const earlier = { count: seen.earlier + left, names: namesBefore(shown[0]?.seq ?? seen.atSeq + 1, seen) };
    const messages = guarding(view, 'show', () => checkMessages(view.show(shown, earlier, params)));
    const over = overBy(messages, maxBytes);
    if (over === 0 || shown.length <= 1) return { messages, left };
    left = Math.min(left + over, taken.length - 1);
  }
}

/** How many of the oldest lines are too much; 0 = all fit. Each line is one message, and what the view adds stays. */
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

/** In the order of the participants, the hub after them. */
function namesBefore(seq: number, { metadata, heardBefore }: Seen): readonly string[] {
  const heard = heardBefore(seq);
  const known = metadata.participants.map(({ agent_id }) => agent_id).filter((id) => heard.has(id));
  const others = [...heard].filter((id) => !known.includes(id)).sort();
  return [...known, ...others].map((id) => (id === HUB_ID ? HUB_ID : nameOf(metadata, id)));
}

function windowOf({ view, params }: ChosenView): (line: ViewLine) => boolean {
  const takes = guarding(view, 'window', () => view.window(params));
  return (line) => guarding(view, 'window', () => checkTaken(takes(line)));
}

/** Whatever a view throws, or gives that it should not, is its own defect. */
function guarding<T>({ name, version }: View, member: string, call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw internalError(thrown, `${member} of view ${name} version ${version}`);
  }
}
