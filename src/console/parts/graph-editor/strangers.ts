/** Whom a graph names and who takes no part, with the path to each. The hub has the last word: parts of its own may name others. */

import type { Json } from '../../../core/lib/json.ts';
import { isAgentId } from './agent-id.ts';

interface Stranger {
  /** Within the graph, such as `transitions.0.then.args.agent_id`. */
  readonly field: string;
  readonly message: string;
}

/** `people`: the names of everybody. Whom it names by id may be one of them. */
export function strangersIn(graph: Json, people: readonly string[]): readonly Stranger[] {
  return namedIn(graph)
    .filter(({ name }) => name !== '' && !people.includes(name) && !isAgentId(name))
    .map(({ field, name }) => ({
      field,
      message: `expected a participant (${people.join(', ')}), got ${JSON.stringify(name)}`,
    }));
}

interface Named {
  readonly field: string;
  readonly name: string;
}

/** The built-in parts of rules that name somebody, and in which argument. */
const NAMING: ReadonlyMap<unknown, string> = new Map([
  ['from_speaker', 'agent_id'],
  ['agent', 'agent_id'],
  ['next_in', 'agents'],
]);

function namedIn(graph: Json): readonly Named[] {
  const rules = listOf(memberOf(graph, 'transitions')).flatMap((rule, i) => [
    ...inRule(memberOf(rule, 'when'), `transitions.${i}.when`),
    ...inRule(memberOf(rule, 'then'), `transitions.${i}.then`),
  ]);
  return [
    ...inValue(memberOf(graph, 'initial_speaker'), 'initial_speaker'),
    ...rules,
    ...inRule(memberOf(graph, 'default_target'), 'default_target'),
  ];
}

/** Conditions may hold others. */
function inRule(rule: Json, field: string): readonly Named[] {
  if (rule === null) return [];
  const args = memberOf(rule, 'args');
  const naming = NAMING.get(memberOf(rule, 'name'));
  const own = naming === undefined ? [] : inValue(memberOf(args, naming), `${field}.args.${naming}`);
  const inner = listOf(memberOf(args, 'conditions')).flatMap((one, i) => inRule(one, `${field}.args.conditions.${i}`));
  return [...own, ...inner, ...inRule(memberOf(args, 'condition'), `${field}.args.condition`)];
}

/** A name, or a list of names. */
function inValue(value: Json, field: string): readonly Named[] {
  if (typeof value === 'string') return [{ field, name: value }];
  return listOf(value).flatMap((name, i) => (typeof name === 'string' ? [{ field: `${field}.${i}`, name }] : []));
}

function memberOf(value: Json, name: string): Json {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  return (value as Readonly<Record<string, Json>>)[name] ?? null;
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
