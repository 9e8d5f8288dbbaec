/** What keeps an agent of a config file from beginning, by the key that it is about. */

import { asError } from '../../core/lib/errors.ts';
import type { AgentConfig } from '../../config/shape/config.ts';
import { costProblem } from './fitting-budget.ts';
import type { Problem } from './problems.ts';
import type { KeyPath } from './source.ts';

/** Something about a key of the file. */
export class Unfit extends Error {
  readonly problem: Problem;

  constructor(path: KeyPath, text: string) {
    super(text);
    this.problem = { path, text };
  }
}

/** What goes wrong there is about that key. */
export async function about<T>(path: KeyPath, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw new Unfit(path, asError(thrown).message.replace(/^(--role|--script)?: /, ''));
  }
}

/** Of one that can never tell its cost. */
export function checkCost(path: KeyPath, settings: AgentConfig, who: string, advice: string): void {
  const problem = costProblem(path, settings, who, advice);
  if (problem !== null) throw new Unfit(problem.path, problem.text);
}
