/** What an agent said to the others: its text, or what it passes the turn on with. Pure. */

import { isPlainObject } from '../../core/lib/json.ts';
import type { AgentReply } from '../agent/agent-fn.ts';

export function answerText({ text, tool_calls = [] }: AgentReply): string {
  if (text.trim() !== '') return text;
  const messages = tool_calls.map(({ arguments: given }) => (isPlainObject(given) ? given.message : null));
  const last = messages.findLast((message) => typeof message === 'string');
  return typeof last === 'string' ? last : text;
}
