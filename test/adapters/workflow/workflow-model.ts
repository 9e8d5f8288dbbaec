/**
 * What a workflow should do, written down a second time: no compiling, no sharing of code with the adapter, one function
 * after the other as the rules have them. Slow, and only as right as it is plain.
 */

import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import type { Json, JsonObject, RuleRef } from 'parley-hub/core';

export interface ModelState {
  readonly active: readonly string[];
  readonly expected: string | null;
  readonly turns: number;
  readonly vars: JsonObject;
  readonly closed: string | null;
}

/** One post. */
export interface Said {
  readonly sender: string;
  readonly text: string;
  readonly tool?: string;
  readonly handoff?: string;
  readonly finish?: string;
  readonly set?: JsonObject;
  readonly delete?: readonly string[];
}

export class WorkflowModel {
  private readonly graph: TransitionGraph;
  private readonly order: readonly string[];
  state: ModelState;

  constructor(graph: TransitionGraph, order: readonly string[], vars: JsonObject) {
    this.graph = graph;
    this.order = order;
    this.state = { active: order, expected: graph.initial_speaker, turns: 0, vars, closed: null };
  }

  speak(said: Said): void {
    const vars = updated(this.state.vars, said);
    const turns = this.state.turns + 1;
    this.state = { ...this.state, vars, turns };
    const to = said.finish ?? said.handoff ?? this.chosen(said);
    const ends = said.finish !== undefined || to.startsWith('end:');
    const reason = ends ? to.replace(/^end:/, '') : turns === this.graph.max_turns ? 'max_turns' : null;
    this.state = { ...this.state, closed: reason, expected: reason === null ? to : null };
  }

  setContext(change: Pick<Said, 'set' | 'delete'>): void {
    this.state = { ...this.state, vars: updated(this.state.vars, change) };
  }

  /** A participant is hidden, removed or returns. */
  regroup(active: readonly string[]): void {
    const { expected } = this.state;
    this.state = { ...this.state, active };
    if (expected === null) this.state = { ...this.state, expected: active[0] ?? null };
    else if (!active.includes(expected)) this.state = { ...this.state, expected: this.passedFrom(expected) };
  }

  private passedFrom(owner: string): string | null {
    const { default_target: otherwise } = this.graph;
    const named = {
      agent: otherwise?.args.agent_id,
      revert_to_initiator: this.order[0],
      next_in: otherwise?.name === 'next_in' ? this.behind(otherwise, owner) : null,
    }[otherwise?.name ?? ''];
    if (typeof named === 'string' && this.state.active.includes(named)) return named;
    return this.after(owner);
  }

  private chosen(said: Said): string {
    const inOrder = [...this.graph.transitions.entries()].sort(([i, a], [j, b]) => a.priority - b.priority || i - j);
    for (const [, { when, then }] of inOrder) {
      const to = this.holds(when, said) ? this.lead(then, said) : null;
      if (to !== null) return to;
    }
    if (this.graph.default_target === null) return 'end:after_work';
    return this.lead(this.graph.default_target, said) ?? this.after(said.sender) ?? said.sender;
  }

  /** null = the target is not active. */
  private lead(target: RuleRef, { sender }: Said): string | null {
    const { name, args } = target;
    if (name === 'terminate') return `end:${args.reason}`;
    const to = {
      agent: args.agent_id,
      round_robin: this.after(sender),
      next_in: name === 'next_in' ? this.behind(target, sender) : null,
      stay: sender,
      revert_to_initiator: this.order[0],
    }[name];
    return typeof to === 'string' && this.state.active.includes(to) ? to : null;
  }

  /** The next active agent of a list, wrapping only if the list wraps. */
  private behind({ args }: RuleRef, id: string): string | null {
    const agents = args.agents as readonly string[];
    const twice = args.wrap === true && agents.includes(id) ? [...agents, ...agents] : agents;
    return twice.find((one, i) => i > twice.indexOf(id) && this.state.active.includes(one)) ?? null;
  }

  private holds({ name, args }: RuleRef, said: Said): boolean {
    const { vars, turns } = this.state;
    const inner = (args.conditions ?? []) as unknown as readonly RuleRef[];
    const found = Object.entries(vars).find(([key]) => key === args.key)?.[1] ?? null;
    switch (name) {
      case 'always':
        return true;
      case 'from_speaker':
        return said.sender === args.agent_id;
      case 'tool_called':
        return said.tool === args.tool_name;
      case 'context_equals':
        return ordered(found, '==', args.value ?? null);
      case 'context_compare':
        return ordered(found, String(args.op), args.value ?? null);
      case 'turn_count':
        return ordered(turns, String(args.op), args.value ?? null);
      case 'text_contains': {
        const low = (text: string) => (args.case_insensitive === true ? text.toLowerCase() : text);
        return (args.any as readonly string[]).some((part) => low(said.text).includes(low(part)));
      }
      case 'all_of':
        return !inner.some((one) => !this.holds(one, said));
      case 'any_of':
        return inner.some((one) => this.holds(one, said));
      case 'not':
        return !this.holds(args.condition as unknown as RuleRef, said);
      default:
        throw new Error(`the model does not know ${name}`);
    }
  }

  private after(id: string): string | null {
    const from = this.order.indexOf(id) + 1;
    const round = [...this.order.slice(from), ...this.order.slice(0, from)];
    return round.find((one) => this.state.active.includes(one)) ?? null;
  }
}

function updated(vars: JsonObject, { set = {}, delete: gone = [] }: Pick<Said, 'set' | 'delete'>): JsonObject {
  const kept = { ...vars };
  for (const key of gone) Reflect.deleteProperty(kept, key);
  return { ...kept, ...set };
}

function ordered(a: Json, operator: string, b: Json): boolean {
  const same = JSON.stringify(a) === JSON.stringify(b);
  if (operator === '==' || operator === '!=') return same === (operator === '==');
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string')) return false;
  const less = (a as number) < (b as number);
  return { '<': less, '<=': less || same, '>': !less && !same, '>=': !less }[operator] ?? false;
}
