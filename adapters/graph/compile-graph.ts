/** Compiles a graph: its rules by priority, each bound to the code of its condition and target. */

import type { Destination, Routing, RuleRef, Vocabulary } from 'parley-hub/core';
import { bindCondition, bindTarget } from './bind-rule.ts';
import type { TransitionGraph } from './transition-graph.ts';

export interface CompiledGraph {
  readonly initial_speaker: string;
  readonly max_turns: number | null;
  /** The destination after a message; null = the next active participant. Throws if a part of a rule is defective. */
  route(routing: Routing): Destination | null;
  /** The speaker that `default_target` alone chooses after a hub envelope; null if none. Never throws: a defective target
   * must not prevent hiding or leaving. */
  defaultSpeaker(routing: Routing): string | null;
  /** The tools that the graph's conditions look for, in rule order. */
  readonly tools: readonly string[];
  /** The destination of a call of this tool, which `routing` describes; null if no rule about the tool applies now. Never
   * throws: a tool whose rule fails is not offered. */
  calling(tool: string, routing: Routing): Destination | null;
}

/** `graph` uses ids and names of this vocabulary only; `field` is its path in errors. */
export function compileGraph(graph: TransitionGraph, vocabulary: Vocabulary, field: string): CompiledGraph {
  const { initial_speaker, max_turns, default_target } = graph;
  const rules = graph.transitions
    .map(({ when, then, priority }, i) => ({
      holds: bindCondition(when, vocabulary, `${field}.transitions.${i}.when`),
      choose: bindTarget(then, vocabulary, `${field}.transitions.${i}.then`),
      tools: toolsIn(when, vocabulary),
      priority,
    }))
    // `toSorted` is stable: equal priorities keep the order of the list.
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

/** The tools that a condition looks for, at any depth. */
function toolsIn({ name, args }: RuleRef, vocabulary: Vocabulary): readonly string[] {
  if (name === 'tool_called') return typeof args.tool_name === 'string' ? [args.tool_name] : [];
  const inner = (vocabulary.conditions.get(name)?.conditions ?? []).flatMap((member) => args[member] ?? []);
  // The conditions were parsed when they were bound.
  return inner.flatMap((one) => toolsIn(one as unknown as RuleRef, vocabulary));
}

const AFTER_WORK: Destination = { kind: 'end', reason: 'after_work' };
