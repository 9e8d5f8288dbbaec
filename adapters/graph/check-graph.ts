/** Whether a graph can be understood without a session: its names are known and their arguments fit. Who takes part is not looked at. */

import type { Condition, Target } from 'parley-hub/core';
import { namesIn } from './resolve-graph.ts';
import type { TransitionGraph } from './transition-graph.ts';
import { BUILT_IN } from './vocabulary.ts';

/** Those of a hub beside the built-in ones. */
export interface OwnParts {
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
}

/** Throws a ProtocolError that names the rule, what is wrong with it and what there is. */
export function checkGraph(graph: TransitionGraph, { conditions = [], targets = [] }: OwnParts = {}): void {
  const known = {
    conditions: new Map([...BUILT_IN.conditions, ...conditions.map((one) => [one.name, one] as const)]),
    targets: new Map([...BUILT_IN.targets, ...targets.map((one) => [one.name, one] as const)]),
  };
  namesIn(graph, known, 'graph');
}
