/** What is wrong with a graph, each with its place in the text. */

import type { GraphReport } from '../../../core/console-operations.ts';
import { type LineAndColumn, lineOf, placeOf, type ReadJson } from '../../lib/read-json.ts';
import { strangersIn } from './strangers.ts';

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
export function problemsIn({ text, read, checked, failure, people, refused }: Seen): readonly Problem[] {
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
  const strangers = people === null ? [] : strangersIn(value, people);
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
