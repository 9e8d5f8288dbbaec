/** The built-in conditions and targets, by name. */

import type { Vocabulary } from 'parley-hub/core';
import { CONDITIONS } from './conditions.ts';
import { TARGETS } from './targets.ts';

export const BUILT_IN: Vocabulary = {
  conditions: new Map(CONDITIONS.map((condition) => [condition.name, condition])),
  targets: new Map(TARGETS.map((target) => [target.name, target])),
};

/** True if all parts are built in, at the versions of this package. */
export function isBuiltIn({ conditions, targets }: Vocabulary): boolean {
  return (
    [...conditions].every(([name, condition]) => BUILT_IN.conditions.get(name) === condition) &&
    [...targets].every(([name, target]) => BUILT_IN.targets.get(name) === target)
  );
}
