/** The tool `context`: the session, its variables, and messages older than the view. */

import type { Session } from '../../client/index.ts';
import { isPlainObject, type Json, type JsonObject } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import { isContent } from '../../core/records/session/envelope.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { type HubTool, keyFor, parameters, shown, type ToolContext, ToolRefusal } from './lib/hub-tool.ts';

const MAX_MESSAGES = 20;
const MESSAGE_CHARS = 600;
/** Number of envelopes searched for messages. */
const LOOKED_AT = 200;

export const context: HubTool = {
  name: 'context',
  description:
    'Shows this session: type, topic, participants, whose turn it is and, in a workflow, the shared variables. ' +
    'First changes those variables with `set` or `delete`; with `from_seq` it also shows messages.',
  parameters: parameters({
    set: { type: 'object', description: 'Variables to set, by name.' },
    delete: { type: 'array', items: { type: 'string' }, description: 'Names of variables to delete.' },
    from_seq: { type: 'integer', minimum: 1, description: 'Show the visible messages from this seq on.' },
  }),
  async run(args, scene) {
    const { set, delete: removed, from_seq } = args as Partial<JsonObject>;
    if (set !== undefined || removed !== undefined)
      await change(scene, { ...given('set', set), ...given('delete', removed) });
    const { session, turn, public_state } = await scene.session.info();
    const messages = typeof from_seq === 'number' ? await saidFrom(scene.session, session, from_seq) : undefined;
    return shown({
      session: session.session_id,
      type: session.manifest.type,
      topic: session.labels.intent ?? null,
      participants: session.participants.map(({ agent_id, name, role, status }) => {
        return { name, role, status, ...(agent_id === scene.client.agentId ? { you: true } : {}) };
      }),
      turn: turn === null ? null : nameOf(session, turn.agent_id),
      head_seq: session.head_seq,
      ...given('variables', public_state.context_vars),
      ...(messages === undefined ? {} : { messages }),
    });
  },
};

/** Numbers the changes of a turn, so that restoring a value gets its own key. */
const changes = new WeakMap<ToolContext, number>();

async function change(scene: ToolContext, event_data: JsonObject): Promise<void> {
  if (!isPlainObject(scene.info.public_state.context_vars))
    throw new ToolRefusal(`a ${scene.info.session.manifest.type} session has no variables; omit set and delete`);
  const count = (changes.get(scene) ?? 0) + 1;
  changes.set(scene, count);
  const key = keyFor(scene, 'context', count, event_data);
  await scene.session.send({ event_type: 'context.set', event_data }, { key });
}

async function saidFrom(session: Session, metadata: SessionMetadata, fromSeq: number): Promise<object[]> {
  const messages: object[] = [];
  let left = LOOKED_AT;
  for await (const envelope of session.log({ fromSeq, pageSize: LOOKED_AT })) {
    left -= 1;
    if (isContent(envelope.event_type)) {
      const text = renderText(envelope);
      const isLong = text.length > MESSAGE_CHARS;
      const from = nameOf(metadata, envelope.sender_id);
      messages.push({ seq: envelope.seq, from, text: text.slice(0, MESSAGE_CHARS), ...(isLong ? { cut: true } : {}) });
    }
    if (left === 0 || messages.length === MAX_MESSAGES) break;
  }
  return messages;
}

function given(name: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}
