/** A failure after calls that went well: what those cost is not lost. Pure. */

import { AgentError, isAgentError } from '../../agent/agent-error.ts';
import { Spent } from '../spent.ts';

/** The same error with the sum of all calls; what is no AgentError has no place for it. */
export function withSpent(thrown: unknown, before: Spent): unknown {
  if (!isAgentError(thrown)) return thrown;
  const { details, kind, message } = thrown;
  const { usage, cost_usd } = before.told;
  if (usage === undefined && cost_usd === undefined) return thrown;
  const spent = new Spent();
  spent.add(before.told);
  const { call } = details;
  // A call that tells nothing of what it used was refused before it used anything.
  if (call !== undefined && call.usage !== null) spent.add({ usage: call.usage, cost_usd: call.cost_usd });
  const sum = spent.told;
  const about = call ?? NO_CALL;
  const problem = message.startsWith(`${details.tool}: `) ? message.slice(details.tool.length + 2) : message;
  const told = { ...about, usage: sum.usage ?? null, cost_usd: sum.cost_usd ?? null };
  return new AgentError(kind, problem, { ...details, call: told }, { cause: thrown });
}

const NO_CALL = {
  class: 'permanent',
  status: null,
  code: null,
  request_id: null,
  retries: 0,
  refuses_forced_tools: false,
} as const;
