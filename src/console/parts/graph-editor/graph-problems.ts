/** What is wrong with a graph, each with its place in the text. */

import type { Json } from '../../../core/lib/json.ts';
import type { GraphReport } from '../../../core/ports/adapter.ts';
import { type LineAndColumn, lineOf, placeOf, type ReadJson } from '../../lib/read-json.ts';

/** What `check_graph` answers. */
export type GraphCheck = GraphReport;

export interface Problem extends LineAndColumn {
  readonly kind: 'error' | 'warning';
  readonly message: string;
  /** Where in the text. */
  readonly at: number;
}

interface Seen {
  readonly text: string;
  /** null = there is no text. */
  readonly read: ReadJson | null;
  readonly checked: GraphCheck | null;
  /** Why it could not be checked. */
  readonly failure: string | null;
  /** The names of everybody who takes part; null = there may be others. */
  readonly people: readonly string[] | null;
  readonly refused: readonly { readonly field: string; readonly message: string }[];
}

/** While the text is not JSON only that is told: what the hub said is about another text. */
export function findProblems({ text, read, checked, failure, people, refused }: Seen): readonly Problem[] {
  const placed = (kind: Problem['kind'], message: string, at: number): Problem => ({
    kind,
    message,
    at,
    ...lineOf(text, at),
  });
  if (read === null) return refused.map(({ message }) => placed('error', message, 0));
  if (!read.ok) return [placed('error', read.message, read.at)];
  const { places, value } = read;
  const about = (kind: Problem['kind'], field: string, message: string) =>
    placed(kind, message, placeOf(places, withinGraph(field)));
  const errors = checked?.errors ?? [];
  const told = new Set(errors.map(({ message }) => message));
  const ofHub = [...errors, ...refused.filter(({ message }) => !told.has(message))];
  const found = ofHub.map(({ field, message }) => about('error', field, message));
  const atPlaces = new Set(found.map(({ at }) => at));
  const strangers = people === null ? [] : findUnknownParticipants(value, people);
  return [
    ...(failure === null ? [] : [placed('warning', `it could not be checked: ${failure}`, 0)]),
    ...found,
    ...strangers.map(({ field, message }) => about('error', field, message)).filter(({ at }) => !atPlaces.has(at)),
    ...(checked?.warnings ?? []).map((words) => about('warning', words.split(':')[0] ?? '', words)),
  ];
}

/** The hub speaks of `graph.transitions.0` or `knobs.graph.transitions.0`. */
function withinGraph(field: string): string {
  return field.replace(/^(?:params\.)?(?:knobs\.)?graph(?:\.|$)/, '');
}

interface Stranger {
  /** Within the graph, such as `transitions.0.then.args.agent_id`. */
  readonly field: string;
  readonly message: string;
}

/** `people`: the names of everybody. Whom it names by id may be one of them. */
export function findUnknownParticipants(graph: Json, people: readonly string[]): readonly Stranger[] {
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

/** An agent by its id, as hubs make them: whom it is of, and what they are called, only the hub knows. */
export function isAgentId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
