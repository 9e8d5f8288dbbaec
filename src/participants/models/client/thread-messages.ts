/** Converts a thread to the messages of a request. Pure. */

import type { Step, ThreadContext } from '../../agent/agent-fn.ts';
import type { ModelMessage } from './model-client.ts';

/** Models expect the first and the last message to be the user's. */
const OPENED_BY_YOU = 'You have the first word.';
const YOUR_TURN = 'It is your turn again.';

/** If the thread has no steps, returns only the opening. */
export function threadMessages(ctx: ThreadContext): readonly ModelMessage[] {
  const { start } = ctx;
  if (ctx.steps.length === 0) return [{ role: 'user', content: start.content }];
  const spoken = [start, ...ctx.steps.filter((step) => !isSame(step, start))].filter(({ content }) => content !== '');
  const messages = alternating(spoken);
  const opening: ModelMessage[] = messages[0]?.role === 'user' ? [] : [{ role: 'user', content: OPENED_BY_YOU }];
  const closing: ModelMessage[] = messages.at(-1)?.role === 'user' ? [] : [{ role: 'user', content: YOUR_TURN }];
  return messages.length === 0 ? opening : [...opening, ...messages, ...closing];
}

/** Views show the opening as a step: compare by seq, otherwise by content. */
function isSame(step: Step, start: ThreadContext['start']): boolean {
  const { seq } = start.meta;
  if (typeof seq === 'number') return step.meta.seq === seq;
  return step.role === start.role && step.timestamp === start.timestamp && step.content === start.content;
}

/** Merges consecutive messages of one role: many models require alternating turns. */
function alternating(steps: readonly { readonly role: string; readonly content: string }[]): readonly ModelMessage[] {
  const messages: { role: 'user' | 'assistant'; content: string }[] = [];
  for (const { role: said, content } of steps) {
    const role = said === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else messages.push({ role, content });
  }
  return messages;
}
