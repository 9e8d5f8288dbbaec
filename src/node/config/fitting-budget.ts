/** Whether a budget in USD can be kept: by who can never tell what it cost, it cannot. Pure. */

import type { AgentConfig } from '../../config/shape/config.ts';
import type { Problem } from './problems.ts';
import type { KeyPath } from './source.ts';

/** `who` is who does not tell: "a command whose output is text". */
export function costProblem(path: KeyPath, { budget }: AgentConfig, who: string, advice: string): Problem | null {
  if (budget === undefined || budget.unpriced === 'count_as_zero') return null;
  const part = (['perTurn', 'perSession', 'total'] as const).find((one) => budget[one]?.usd !== undefined);
  if (part === undefined) return null;
  const text = `${who}, so that a limit in USD cannot be kept; ${advice}, or budget.unpriced: count_as_zero`;
  return { path: [...path, 'budget', part, 'usd'], text };
}
