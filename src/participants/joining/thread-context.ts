/** Builds the thread for an agent: the session's opening, and this participant's view of it. */

import type { Session, ViewOptions } from '../../client/index.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import type { ViewMessage } from '../../core/ports/view.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { type Envelope, isContent } from '../../core/records/session/envelope.ts';
import { nameOf, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { StartFrame, Step, ThreadContext } from '../agent/agent-fn.ts';

/** Number of envelopes searched for the first message. */
const BEGINNING = 50;

export async function readThread(
  session: Session,
  { session: metadata }: Result<'get_session'>,
  agentId: string,
  view: ViewOptions['view'],
): Promise<ThreadContext> {
  const [{ messages }, first] = await Promise.all([session.view({ view }), firstSaid(session)]);
  const times = await timesOf(session, messages, first);
  const steps = messages.map((message): Step => stepOf(message, times, metadata.created_at));
  const shown = first === null ? undefined : steps[messages.findIndex(({ seq }) => seq === first.seq)];
  return { threadId: session.id, start: startOf(metadata, first, shown, agentId), steps };
}

async function firstSaid(session: Session): Promise<Envelope | null> {
  let left = BEGINNING;
  for await (const envelope of session.log({ pageSize: BEGINNING })) {
    if (isContent(envelope.event_type)) return envelope;
    left -= 1;
    if (left === 0) return null;
  }
  return null;
}

/** Reads timestamps from the log by seq, because views have none. */
async function timesOf(
  session: Session,
  messages: readonly ViewMessage[],
  first: Envelope | null,
): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(messages.flatMap(({ seq }) => (seq === null ? [] : [seq])));
  const times = new Map<number, string>();
  if (first !== null) take(first);
  if (wanted.size === 0) return times;
  for await (const envelope of session.log({ fromSeq: Math.min(...wanted) })) {
    take(envelope);
    if (wanted.size === 0) break;
  }
  return times;

  function take({ seq, created_at }: Envelope): void {
    if (wanted.delete(seq)) times.set(seq, created_at);
  }
}

function stepOf({ role, content, seq, name }: ViewMessage, times: ReadonlyMap<number, string>, begun: string): Step {
  const timestamp = seq === null ? undefined : times.get(seq);
  return { role, content, meta: { seq, name }, timestamp: timestamp ?? begun };
}

/** The opening frame: the first message as the view shows it, or a summary if there is no message yet. */
function startOf(
  metadata: SessionMetadata,
  first: Envelope | null,
  shown: Step | undefined,
  agentId: string,
): StartFrame {
  const { opened_at, created_at } = metadata;
  const meta = aboutSession(metadata, agentId);
  if (first === null) {
    return { role: 'system', content: openingOf(metadata, agentId), meta, timestamp: opened_at ?? created_at };
  }
  const from = { seq: first.seq, from: nameOf(metadata, first.sender_id) };
  const role = first.sender_id === agentId ? 'assistant' : 'user';
  const { content } = shown ?? { content: renderText(first) };
  return { role, content, meta: { ...meta, ...from }, timestamp: first.created_at };
}

function openingOf({ manifest, participants, labels }: SessionMetadata, agentId: string): string {
  const names = participants.map(({ name }) => name).join(', ');
  const own = participants.find(({ agent_id }) => agent_id === agentId)?.name ?? '';
  const about = Object.entries(labels).map(([key, value]) => `${key}: ${value}`);
  const opening = `A ${manifest.type} session with ${names} has begun. There are no messages yet. You are ${own}.`;
  return [opening, ...about].join('\n');
}

function aboutSession(metadata: SessionMetadata, agentId: string): JsonObject {
  const { manifest, knobs, labels, participants } = metadata;
  const own = participantOf(metadata, agentId);
  return {
    type: manifest.type,
    name: own?.name ?? '',
    role: own?.role ?? '',
    participants: participants.map(({ name, role, status }) => ({ name, role, status })),
    knobs,
    labels,
  };
}
