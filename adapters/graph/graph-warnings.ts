/** Warns of rules that can never apply, and of graphs that never end a session. Only certain cases with built-in parts are
 * reported; custom parts are unknown. */

import { canonicalJson, type RuleRef, type Vocabulary } from 'parley-hub/core';
import { CertainConditions } from './certain-conditions.ts';
import type { Transition, TransitionGraph } from './transition-graph.ts';
import { BUILT_IN } from './vocabulary.ts';

interface Rule extends Transition {
  readonly index: number;
}

export function graphWarnings(
  graph: TransitionGraph,
  vocabulary: Vocabulary = BUILT_IN,
  field: string = 'graph',
): readonly string[] {
  const parts = new KnownParts(vocabulary, graph.max_turns);
  const rules = graph.transitions
    .map((transition, index) => ({ ...transition, index }))
    .toSorted((a, b) => a.priority - b.priority);
  const idle = new Map<number, string>();
  for (const [at, rule] of rules.entries()) {
    const earlier = rules.slice(0, at).find((other) => !idle.has(other.index) && parts.hides(other, rule));
    if (earlier !== undefined) idle.set(rule.index, `transition ${earlier.index} always comes before it`);
    else if (parts.conditions.isNever(rule.when)) idle.set(rule.index, 'its condition never holds');
  }
  const unreachable = [...idle]
    .sort(([a], [b]) => a - b)
    .map(([index, why]) => `${field}.transitions.${index}: it can never be chosen: ${why}`);
  const live = rules.filter(({ index }) => !idle.has(index));
  return parts.mayEnd(graph, live) ? unreachable : [...unreachable, endless(field)];
}

function endless(field: string): string {
  return `${field}: nothing in it ends the session (no terminate, no max_turns); it goes on until somebody finishes or closes it, or its time to live is over`;
}

class KnownParts {
  readonly conditions: CertainConditions;
  private readonly vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary, maxTurns: number | null) {
    this.conditions = new CertainConditions(vocabulary, maxTurns);
    this.vocabulary = vocabulary;
  }

  /** True if `earlier` applies whenever `later` does. */
  hides(earlier: Rule, later: Rule): boolean {
    if (!this.conditions.implies(later.when, earlier.when)) return false;
    if (this.alwaysApplies(earlier.then)) return true;
    // If both built-in targets are equal, the later rule adds nothing.
    return this.isTarget(earlier.then) && canonicalJson(earlier.then) === canonicalJson(later.then);
  }

  /** Whether the graph may end the session; a custom target may. */
  mayEnd({ default_target, max_turns }: TransitionGraph, live: readonly Rule[]): boolean {
    if (max_turns !== null) return true;
    const ends = (target: RuleRef) => target.name === 'terminate' || !this.isTarget(target);
    if (live.some(({ then }) => ends(then))) return true;
    const reachesDefault = !live.some(({ when, then }) => this.conditions.isAlways(when) && this.alwaysApplies(then));
    return reachesDefault && (default_target === null || ends(default_target));
  }

  /** True if the target applies whichever participants are active; the sender always is. */
  private alwaysApplies(target: RuleRef): boolean {
    return this.isTarget(target) && ['round_robin', 'stay', 'random', 'terminate'].includes(target.name);
  }

  private isTarget({ name }: RuleRef): boolean {
    const known = BUILT_IN.targets.get(name);
    return known !== undefined && this.vocabulary.targets.get(name) === known;
  }
}
