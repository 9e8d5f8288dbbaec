/** A graph in sentences: what the drawing says, for whoever does not see it. */

import { fittingText } from '../../text/fitting-text.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode } from './drawn-graph.ts';
import { type PathTaken, turnsInWords } from './path-taken.ts';

/** Long enough for every honest name, short enough to be heard. */
const MAX_UNITS = 160;

export function graphSummary({ nodes, edges, initial }: DrawnGraph, current: string | null): string {
  const labels = labelsOf(nodes);
  const begins = initial === null ? '' : ` ${labels(initial)} begins.`;
  const now = current === null ? '' : ` Now it is ${labels(current)}.`;
  return `Workflow with ${count(nodes.length, 'node')} and ${count(edges.length, 'transition')}.${begins}${now}`;
}

/** One sentence for each edge, in their order. */
export function transitionWords({ nodes, edges }: DrawnGraph, { edges: taken }: PathTaken): readonly string[] {
  const labels = labelsOf(nodes);
  return edges.map(({ from, to, label }, i) => {
    const when = label === '' ? '' : `: ${words(label)}`;
    const way = from === to ? `${labels(from)} again` : `${labels(from)} \u2192 ${labels(to)}`;
    const marks = taken.get(i);
    if (marks === undefined) return `${way}${when}`;
    const sure = marks.isCertain ? 'taken' : 'perhaps taken';
    return `${way}${when} (${sure} after ${turnsInWords(marks.after)})`;
  });
}

export interface NodeSays {
  readonly isInitial: boolean;
  readonly isCurrent: boolean;
  readonly visits: readonly number[];
  readonly leaving: readonly DrawnEdge[];
}

export function nodeWords(node: DrawnNode, { isInitial, isCurrent, visits, leaving }: NodeSays): string {
  const facts = [
    words(node.label === '' ? '(no name)' : node.label),
    ...(node.kind === 'end' ? ['end of the session'] : []),
    ...(isInitial ? ['begins'] : []),
    ...(isCurrent ? ['has the turn'] : []),
    ...(visits.length === 0 ? [] : [`spoke in ${turnsInWords(visits)}`]),
    ...(leaving.length === 0 ? [] : [count(leaving.length, 'transition', 'leaving')]),
  ];
  return facts.join(', ');
}

function labelsOf(nodes: readonly DrawnNode[]): (id: string) => string {
  const known = new Map(nodes.map(({ id, label }) => [id, label]));
  return (id) => words(known.get(id) || id || '(no name)');
}

function words(text: string): string {
  return fittingText(text, MAX_UNITS).text;
}

function count(n: number, what: string, more = ''): string {
  return `${n} ${what}${n === 1 ? '' : 's'}${more === '' ? '' : ` ${more}`}`;
}
