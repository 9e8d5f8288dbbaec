/** A graph made ready to be asked: its rules in the order of choice, each bound to the code of its condition and target. */

import type { Destination, Routing, RuleRef, Vocabulary } from 'parley-hub/core';
import { fieldError } from './field-error.ts';
import type { TransitionGraph } from './transition-graph.ts';

export interface CompiledGraph {
  readonly initial_speaker: string;
  readonly max_turns: number | null;
  /** Where the turn goes after a message; null = to the next active participant. */
  route(routing: Routing): Destination | null;
  /** Where `default_target` leads alone; null = to nobody who is active, or to the end. */
  defaultSpeaker(routing: Routing): string | null;
}

/** `graph` has ids for participants, and names of this vocabulary only. */
export function compileGraph(graph: TransitionGraph, vocabulary: Vocabulary): CompiledGraph {
  const { initial_speaker, max_turns, default_target } = graph;
  const rules = graph.transitions
    // Sorting is stable: equals stay in the order of the list.
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ when, then }) => ({ holds: condition(when, vocabulary), choose: target(then, vocabulary) }));
  const otherwise = default_target === null ? null : target(default_target, vocabulary);
  return {
    initial_speaker,
    max_turns,
    route(routing) {
      for (const { holds, choose } of rules) {
        const destination = holds(routing) ? choose(routing) : null;
        if (destination !== null) return destination;
      }
      return otherwise === null ? AFTER_WORK : otherwise(routing);
    },
    defaultSpeaker(routing) {
      const destination = otherwise?.(routing) ?? null;
      return destination?.kind === 'speaker' ? destination.agent_id : null;
    },
  };
}

const AFTER_WORK: Destination = { kind: 'end', reason: 'after_work' };

function condition({ name, args }: RuleRef, vocabulary: Vocabulary): (routing: Routing) => boolean {
  const known = vocabulary.conditions.get(name);
  if (known === undefined) throw fieldError('when.name', 'a registered condition', name);
  return (routing) => {
    const test = (inner: RuleRef): boolean => condition(inner, vocabulary)(routing);
    return known.holds(args, routing, test);
  };
}

/** A target that names somebody who is not active counts for nothing. */
function target({ name, args }: RuleRef, vocabulary: Vocabulary): (routing: Routing) => Destination | null {
  const known = vocabulary.targets.get(name);
  if (known === undefined) throw fieldError('then.name', 'a registered target', name);
  return (routing) => {
    const destination = known.choose(args, routing);
    const isOpen = destination?.kind === 'end' || routing.active.includes(destination?.agent_id ?? '');
    return isOpen ? destination : null;
  };
}
