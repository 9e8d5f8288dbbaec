/** What all calls for one answer have used and cost together. */

import type { Usage } from '../agent/agent-fn.ts';
import { addCosts } from '../models/cost.ts';

const CLASSES = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
] as const;

export interface Told {
  readonly usage?: Usage | undefined;
  readonly cost_usd?: number | null | undefined;
}

/** Who tells nothing adds nothing; what one of those who tell does not know is not known of the sum. */
export class Spent {
  private usage: Usage | undefined;
  private cost: number | null | undefined;

  add({ usage, cost_usd }: Told): void {
    if (usage !== undefined) this.usage = this.usage === undefined ? classesOf(usage) : sumOf(this.usage, usage);
    if (cost_usd !== undefined) this.cost = this.cost === undefined ? cost_usd : addCosts(this.cost, cost_usd);
  }

  /** As an answer says it. */
  get told(): { readonly usage?: Usage; readonly cost_usd?: number | null } {
    const usage = this.usage === undefined ? {} : { usage: this.usage };
    return this.cost === undefined ? usage : { ...usage, cost_usd: this.cost };
  }
}

function sumOf(a: Usage, b: Usage): Usage {
  const sum = (one: number | null, other: number | null): number | null =>
    one === null || other === null ? null : one + other;
  return classes((name) => sum(a[name], b[name]));
}

/** Without what only models' own records have. */
function classesOf(usage: Usage): Usage {
  return classes((name) => usage[name]);
}

function classes(of: (name: keyof Usage) => number | null): Usage {
  // Every class is one of the list.
  return Object.fromEntries(CLASSES.map((name) => [name, of(name)])) as unknown as Usage;
}
