/** Turns of a governed run: they start with the dispatch bundle, and the answer is the turn result. */

import type { Content } from '../../client/index.ts';
import { findJsonObject, isPlainObject } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import type { Step, ThreadContext } from '../agent/agent-fn.ts';
import type { AgentTurn } from './handlers.ts';

type Info = Result<'get_session'>;

/** In governed sessions only the runner assigns turns; other messages need no answer. */
export function answersOnlyAssignedTurns({ session }: Info): boolean {
  return session.manifest.type === 'governed';
}

/** Text for the agent, from the envelope that gave the turn. */
export function turnText(envelope: Envelope): string {
  const { event_type, event_data, redacted } = envelope;
  const parts = [event_data.prompt, event_data.context].filter((part) => typeof part === 'string' && part !== '');
  const isBundle = event_type === 'turn.dispatched' && redacted === undefined && parts.length > 0;
  return isBundle ? parts.join('\n\n---\n\n') : renderText(envelope);
}

/** Wraps the answer as a turn result if this participant owes one; otherwise returns it unchanged. */
export function toTurnResult(info: Info, agentId: string, content: Content): Content {
  const waits = info.public_state.waits_for;
  if (
    !answersOnlyAssignedTurns(info) ||
    !isPlainObject(waits) ||
    waits.agent_id !== agentId ||
    waits.kind !== 'result'
  ) {
    return content;
  }
  const { text, ...rest } = content.event_data;
  if (content.event_type !== 'msg.text' || typeof text !== 'string') return content;
  const { turn_id, attempt } = waits as { readonly turn_id: string; readonly attempt: number };
  return { event_type: 'turn.result', event_data: { turn_id, attempt, result: findJsonObject(text) ?? text, ...rest } };
}

/** Replaces the one line that a view shows of a dispatch with the whole bundle. */
export function withBundle(thread: ThreadContext, info: Info, { seq, text, from }: AgentTurn): ThreadContext {
  if (!answersOnlyAssignedTurns(info) || text === '') return thread;
  const earlier = thread.steps.filter(({ meta }) => meta?.seq !== seq);
  const timestamp = thread.steps.at(-1)?.timestamp ?? thread.start.timestamp;
  const given: Step = { role: 'user', content: text, meta: { seq, name: from }, timestamp };
  return { ...thread, steps: [...earlier, given] };
}
