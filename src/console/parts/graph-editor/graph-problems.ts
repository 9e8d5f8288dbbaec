/** Finds the problems of a graph, each with its place in the text. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import type { GraphReport } from '../../../core/ports/adapter.ts';
import { type LineAndColumn, lineOf, placeOf, type ReadJson } from '../../lib/read-json.ts';
import type { FieldError } from '../form/field-errors.ts';

/** The answer of `check_graph`. */
export type GraphCheck = GraphReport;

export interface Problem extends LineAndColumn {
  readonly kind: 'error' | 'warning';
  readonly message: string;
  /** Offset of the problem in the text. */
  readonly at: number;
}

interface Seen {
  readonly text: string;
  /** null if the text is empty. */
  readonly read: ReadJson | null;
  readonly checked: GraphCheck | null;
  /** The reason why the check failed; null if it did not. */
  readonly failure: string | null;
  /** The names of all participants; null if there may be others. */
  readonly people: readonly string[] | null;
  readonly refused: readonly FieldError[];
}

/** Reports invalid JSON alone, because the hub's errors are about an earlier text. */
export function findProblems({ text, read, checked, failure, people, refused }: Seen): readonly Problem[] {
  const placed = (kind: Problem['kind'], message: string, at: number): Problem => {
    return { kind, message, at, ...lineOf(text, at) };
  };
  if (read === null) return refused.map(({ message }) => placed('error', message, 0));
  if (!read.ok) return [placed('error', read.message, read.at)];
  const { places, value } = read;
  const about = (kind: Problem['kind'], field: string, message: string) =>
    placed(kind, message, placeOf(places, withinGraph(field)));
  const errors = checked?.errors ?? [];
  const known = new Set(errors.map(({ message }) => message));
  const fromHub = [...errors, ...refused.filter(({ message }) => !known.has(message))];
  const found = fromHub.map(({ field, message }) => about('error', field, message));
  const atPlaces = new Set(found.map(({ at }) => at));
  const strangers = people === null ? [] : findUnknownParticipants(value, people);
  return [
    ...(failure === null ? [] : [placed('warning', `could not check the graph: ${failure}`, 0)]),
    ...found,
    ...strangers.map(({ field, message }) => about('error', field, message)).filter(({ at }) => !atPlaces.has(at)),
    ...(checked?.warnings ?? []).map((words) => about('warning', words.split(':')[0] ?? '', words)),
  ];
}

/** Strips the prefix of the hub's field names, such as `graph.` or `knobs.graph.`. */
function withinGraph(field: string): string {
  return field.replace(/^(?:params\.)?(?:knobs\.)?graph(?:\.|$)/, '');
}

/** `people`: the names of all participants. Skips ids, because each may belong to any of them. */
export function findUnknownParticipants(graph: Json, people: readonly string[]): readonly FieldError[] {
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

/** The built-in rule parts that name participants, each with the argument that contains the name. */
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

/** The participants named in a rule part and its nested conditions. */
function inRule(rule: Json, field: string): readonly Named[] {
  if (rule === null) return [];
  const args = memberOf(rule, 'args');
  const naming = NAMING.get(memberOf(rule, 'name'));
  const own = naming === undefined ? [] : inValue(memberOf(args, naming), `${field}.args.${naming}`);
  const inner = listOf(memberOf(args, 'conditions')).flatMap((one, i) => inRule(one, `${field}.args.conditions.${i}`));
  return [...own, ...inner, ...inRule(memberOf(args, 'condition'), `${field}.args.condition`)];
}

/** The participants in a value: a name, or a list of names. */
function inValue(value: Json, field: string): readonly Named[] {
  if (typeof value === 'string') return [{ field, name: value }];
  return listOf(value).flatMap((name, i) => (typeof name === 'string' ? [{ field: `${field}.${i}`, name }] : []));
}

function memberOf(value: Json, name: string): Json {
  return isPlainObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** True for an agent id, whose name only the hub knows. */
export function isAgentId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
