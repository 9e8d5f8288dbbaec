/** Resolves a graph in a session: checks names and arguments, and replaces participants' names by ids. */

import type {
  Condition,
  FieldProblem,
  Json,
  JsonObject,
  RulePart,
  RuleRef,
  Target,
  UsedNames,
  Vocabulary,
} from 'parley-hub/core';
import { fieldError, isObject, problemError } from '../parts/field-error.ts';
import { type Answers, callRulePart, membersOf } from './bind-rule.ts';
import { parseRef, type TransitionGraph } from './transition-graph.ts';

/** The participants a graph may name. */
export interface People {
  /** The participants' names, for error messages. */
  readonly names: readonly string[];
  /** The id of a participant; null = unknown. */
  idOf(nameOrId: string): string | null;
}

/** The same graph with ids; throws a ProtocolError that names the rule and the problem. */
export function resolveGraph(
  graph: TransitionGraph,
  vocabulary: Vocabulary,
  people: People,
  field: string,
): TransitionGraph {
  const resolve = new Resolving(vocabulary, people);
  return {
    initial_speaker: resolve.participant(graph.initial_speaker, `${field}.initial_speaker`),
    transitions: graph.transitions.map(({ when, then, priority }, i) => ({
      when: resolve.condition(when, `${field}.transitions.${i}.when`),
      then: resolve.target(then, `${field}.transitions.${i}.then`),
      priority,
    })),
    default_target:
      graph.default_target === null ? null : resolve.target(graph.default_target, `${field}.default_target`),
    max_turns: graph.max_turns,
  };
}

/** The conditions and targets a graph names; throws a ProtocolError for an unregistered one. */
export function namesIn(graph: TransitionGraph, registered: Vocabulary, field: string): UsedNames {
  const used = new Resolving(registered, EVERYBODY);
  for (const [i, { when, then }] of graph.transitions.entries()) {
    used.condition(when, `${field}.transitions.${i}.when`);
    used.target(then, `${field}.transitions.${i}.then`);
  }
  if (graph.default_target !== null) used.target(graph.default_target, `${field}.default_target`);
  return { conditions: [...used.conditions], targets: [...used.targets] };
}

/** Accepts any name or id. */
const EVERYBODY: People = { names: [], idOf: (nameOrId) => nameOrId };

/** Maximum number of conditions in a graph: a message may evaluate all of them. */
const MAX_CONDITIONS = 256;

class Resolving {
  readonly conditions = new Set<string>();
  readonly targets = new Set<string>();
  private count = 0;
  private readonly vocabulary: Vocabulary;
  private readonly people: People;

  constructor(vocabulary: Vocabulary, people: People) {
    this.vocabulary = vocabulary;
    this.people = people;
  }

  condition({ name, args }: RuleRef, field: string): RuleRef {
    const condition = this.known<Condition>('condition', this.vocabulary.conditions, name, field);
    this.conditions.add(name);
    this.count += 1;
    if (this.count > MAX_CONDITIONS) throw fieldError(field, `at most ${MAX_CONDITIONS} conditions in a graph`, 'more');
    const resolved = this.args('condition', condition, args, field);
    const nested = (condition.conditions ?? []).filter((arg) => Object.hasOwn(resolved, arg));
    const inner = nested.map((arg) => [arg, this.inner(resolved[arg] ?? null, `${field}.args.${arg}`)]);
    return { name, args: { ...resolved, ...Object.fromEntries(inner) } };
  }

  target({ name, args }: RuleRef, field: string): RuleRef {
    const target = this.known<Target>('target', this.vocabulary.targets, name, field);
    this.targets.add(name);
    return { name, args: this.args('target', target, args, field) };
  }

  participant(value: Json | undefined, field: string): string {
    const id = typeof value === 'string' ? this.people.idOf(value) : null;
    if (id !== null) return id;
    const { names } = this.people;
    throw fieldError(field, names.length === 0 ? 'a participant' : `a participant (${names.join(', ')})`, value);
  }

  private known<Part>(kind: string, parts: ReadonlyMap<string, Part>, name: string, field: string): Part {
    const part = parts.get(name);
    if (part !== undefined) return part;
    throw fieldError(`${field}.name`, `a registered ${kind} (${[...parts.keys()].join(', ')})`, name);
  }

  private args(kind: string, part: RulePart, args: JsonObject, field: string): JsonObject {
    const who = `checkArgs of ${kind} "${part.name}" version ${part.version} in ${field}`;
    const problem = callRulePart(who, PROBLEM, () => part.checkArgs?.(args)) ?? null;
    if (problem !== null) throw problemError({ ...problem, field: `${field}.args.${problem.field}` });
    const given = (arg: string) => (Object.hasOwn(args, arg) ? args[arg] : undefined);
    const ids = (part.agents ?? []).map((arg) => [arg, this.participants(given(arg), `${field}.args.${arg}`)]);
    return { ...args, ...Object.fromEntries(ids) };
  }

  private participants(value: Json | undefined, field: string): Json {
    if (!Array.isArray(value)) return this.participant(value, field);
    return value.map((item: Json, i) => this.participant(item, `${field}.${i}`));
  }

  /** A nested condition, or a list of them. */
  private inner(value: Json, field: string): Json {
    if (isObject(value)) return this.condition(parseRef(value, field), field);
    if (!Array.isArray(value)) throw fieldError(field, 'a condition or a list of conditions', value);
    return value.map((item: Json, i) => this.condition(parseRef(item, `${field}.${i}`), `${field}.${i}`));
  }
}

/** Valid results of `checkArgs`; undefined means no problem. */
const PROBLEM: Answers<FieldProblem | null | undefined> = {
  expected: 'an object {field, expected, received} of texts, or null',
  isOne(answer): answer is FieldProblem | null | undefined {
    if (answer === null || answer === undefined) return true;
    const { field, expected, received } = membersOf(answer) ?? {};
    return [field, expected, received].every((text) => typeof text === 'string');
  },
};
