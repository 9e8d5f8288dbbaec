/** What is wrong with a graph, each with its place in the text. */

import type { GraphReport } from '../../../core/console-operations.ts';
import { type LineAndColumn, lineOf, placeOf, type ReadJson } from '../json/read-json.ts';

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
  readonly refused: readonly { readonly field: string; readonly message: string }[];
}

/** While the text is not JSON only that is told: what the hub said is about another text. */
export function problemsIn({ text, read, checked, failure, refused }: Seen): readonly Problem[] {
  if (read === null) return [];
  const placed = (kind: Problem['kind'], message: string, at: number): Problem => ({
    kind,
    message,
    at,
    ...lineOf(text, at),
  });
  if (!read.ok) return [placed('error', read.message, read.at)];
  const { places } = read;
  const about = (kind: Problem['kind'], field: string, message: string) =>
    placed(kind, message, placeOf(places, withinGraph(field)));
  const told = new Set((checked?.errors ?? []).map(({ message }) => message));
  return [
    ...(failure === null ? [] : [placed('warning', `it could not be checked: ${failure}`, 0)]),
    ...(checked?.errors ?? []).map(({ field, message }) => about('error', field, message)),
    ...refused.filter(({ message }) => !told.has(message)).map(({ field, message }) => about('error', field, message)),
    ...(checked?.warnings ?? []).map((words) => about('warning', words.split(':')[0] ?? '', words)),
  ];
}

/** The hub speaks of `graph.transitions.0` or `knobs.graph.transitions.0`. */
function withinGraph(field: string): string {
  return field.replace(/^(?:params\.)?(?:knobs\.)?graph(?:\.|$)/, '');
}
