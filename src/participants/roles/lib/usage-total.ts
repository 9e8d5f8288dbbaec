/** Sums the tokens and cost of all calls for one answer, even if a later call fails. */

import { AgentError, isAgentError } from '../../agent/agent-error.ts';
import type { Usage } from '../../agent/agent-fn.ts';
import { plus, usageBy } from '../../agent/usage.ts';
import { addCosts } from '../../models/usage/prices.ts';

export interface ReportedUsage {
  readonly usage?: Usage | undefined;
  readonly cost_usd?: number | null | undefined;
}

/** A call without a report adds nothing; a reported null makes the sum unknown. */
export class UsageTotal {
  private usage: Usage | undefined;
  private cost: number | null | undefined;

  add({ usage, cost_usd }: ReportedUsage): void {
    if (usage !== undefined) this.usage = this.sum(usage);
    if (cost_usd !== undefined) this.cost = this.cost === undefined ? cost_usd : addCosts(this.cost, cost_usd);
  }

  /** Drops the classes that only model clients report. */
  private sum(usage: Usage): Usage {
    const before = this.usage;
    return usageBy((name) => (before === undefined ? usage[name] : plus(before[name], usage[name])));
  }

  get total(): { readonly usage?: Usage; readonly cost_usd?: number | null } {
    const usage = this.usage === undefined ? {} : { usage: this.usage };
    return this.cost === undefined ? usage : { ...usage, cost_usd: this.cost };
  }
}

/** Adds the cost of earlier calls to an AgentError; returns other errors unchanged. */
export function attachUsage(thrown: unknown, before: UsageTotal): unknown {
  if (!isAgentError(thrown)) return thrown;
  const { details, kind, message } = thrown;
  const { usage, cost_usd } = before.total;
  if (usage === undefined && cost_usd === undefined) return thrown;
  const spent = new UsageTotal();
  spent.add(before.total);
  const { call } = details;
  // A call without usage was rejected before it used anything.
  if (call !== undefined && call.usage !== null) spent.add({ usage: call.usage, cost_usd: call.cost_usd });
  const sum = spent.total;
  const about = call ?? NO_CALL;
  const problem = message.startsWith(`${details.tool}: `) ? message.slice(details.tool.length + 2) : message;
  const complete = { ...about, usage: sum.usage ?? null, cost_usd: sum.cost_usd ?? null };
  return new AgentError(kind, problem, { ...details, call: complete }, { cause: thrown });
}

const NO_CALL = {
  class: 'permanent',
  status: null,
  code: null,
  request_id: null,
  retries: 0,
  refuses_forced_tools: false,
} as const;
