/** A graph made ready to be asked: its rules in the order of choice, each bound to the code of its condition and target. */

import type { Destination, Routing, RuleRef, Vocabulary } from 'parley-hub/core';
import { bindCondition, bindTarget } from './bind-rule.ts';
import type { TransitionGraph } from './transition-graph.ts';

export interface CompiledGraph {
  readonly initial_speaker: string;
  readonly max_turns: number | null;
  /** Where the turn goes after a message; null = to the next active participant. Throws what a part of a rule is to blame for. */
  route(routing: Routing): Destination | null;
  /**
   * Where `default_target` leads alone, after something the hub did; null = to nobody who is active, or to the end. It never
   * throws: nobody could be hidden or leave if a defect of a target refused that.
   */
  defaultSpeaker(routing: Routing): string | null;
  /** The names of the tools that its conditions look for, in the order of choice. */
  readonly tools: readonly string[];
  /**
   * Where a call of this tool leads, if `routing` is of one; null = no rule about it is the one that counts now. It never
   * throws: what a part cannot say of a call that nobody made is not offered.
   */
  calling(tool: string, routing: Routing): Destination | null;
}

/** `graph` has ids for participants, and names of this vocabulary only; `field` is where it is, for errors. */
export function compileGraph(graph: TransitionGraph, vocabulary: Vocabulary, field: string): CompiledGraph {
  const { initial_speaker, max_turns, default_target } = graph;
  const rules = graph.transitions
    .map(({ when, then, priority }, i) => ({
      holds: bindCondition(when, vocabulary, `${field}.transitions.${i}.when`),
      choose: bindTarget(then, vocabulary, `${field}.transitions.${i}.then`),
      tools: toolsIn(when, vocabulary),
      priority,
    }))
    // Sorting is stable: equals stay in the order of the list.
    .toSorted((a, b) => a.priority - b.priority);
  const otherwise = default_target === null ? null : bindTarget(default_target, vocabulary, `${field}.default_target`);
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
      try {
        const destination = otherwise?.(routing) ?? null;
        return destination?.kind === 'speaker' ? destination.agent_id : null;
      } catch {
        return null;
      }
    },
    tools: [...new Set(rules.flatMap(({ tools }) => tools))],
    calling(tool, routing) {
      try {
        for (const { holds, choose, tools } of rules) {
          const destination = holds(routing) ? choose(routing) : null;
          if (destination !== null) return tools.includes(tool) ? destination : null;
        }
      } catch {}
      return null;
    },
  };
}

/** Those a condition looks for, at whatever depth. */
function toolsIn({ name, args }: RuleRef, vocabulary: Vocabulary): readonly string[] {
  if (name === 'tool_called') return typeof args.tool_name === 'string' ? [args.tool_name] : [];
  const inner = (vocabulary.conditions.get(name)?.conditions ?? []).flatMap((member) => args[member] ?? []);
  // They were parsed when they were bound.
  return inner.flatMap((one) => toolsIn(one as unknown as RuleRef, vocabulary));
}

const AFTER_WORK: Destination = { kind: 'end', reason: 'after_work' };
