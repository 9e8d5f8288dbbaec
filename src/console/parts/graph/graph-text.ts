/** A graph in sentences: what the drawing says, for whoever does not see it. */

import { fittingText } from '../../text/fitting-text.ts';
import { type DrawnEdge, type DrawnNode, type Names, nameIn } from './drawn-graph.ts';
import { type PathTaken, turnNumbersText } from './path-taken.ts';

/** Long enough for every honest name, short enough to be heard. */
const MAX_UNITS = 160;

export function graphSummary({ graph: { nodes, edges, initial }, ...now }: PathTaken, names: Names): string {
  const labels = labelsOf(nodes);
  const extra = edges.filter(({ isExtra }) => isExtra === true).length;
  const sentences = [
    `Workflow with ${count(nodes.length, 'node')} and ${count(edges.length - extra, 'transition')}.`,
    ...(initial === null ? [] : [`${labels(initial)} begins.`]),
    ...(extra === 0 ? [] : [`${count(extra, 'step')} by no rule.`]),
    ...(now.reached === null ? [] : [`It is over at ${labels(now.reached)}.`]),
  ];
  if (now.current === null || now.lit === null) return sentences.join(' ');
  const who = now.stoodFor.has(now.lit) ? `${whoIs(names, now.current)} (${labels(now.lit)})` : labels(now.lit);
  return [...sentences, `Now it is ${who}.`].join(' ');
}

/** One sentence for each edge, in their order. */
export function transitionTexts({ graph: { nodes, edges }, edges: taken }: PathTaken): readonly string[] {
  const labels = labelsOf(nodes);
  return edges.map(({ from, to, label }, i) => {
    const when = label === '' ? '' : `: ${words(label)}`;
    const way = from === to ? `${labels(from)} again` : `${labels(from)} \u2192 ${labels(to)}`;
    const marks = taken.get(i);
    if (marks === undefined) return `${way}${when}`;
    const sure = marks.isCertain ? 'taken' : 'perhaps taken';
    return `${way}${when} (${sure} after ${turnNumbersText(marks.after)})`;
  });
}

export interface NodeFacts {
  readonly isInitial: boolean;
  /** Who has the turn there, by name; null = nobody. */
  readonly current: string | null;
  readonly isReached: boolean;
  readonly visits: readonly number[];
  /** The names of whom it stood for. */
  readonly stoodFor: readonly string[];
  readonly leaving: readonly DrawnEdge[];
}

export function nodeText(node: DrawnNode, says: NodeFacts): string {
  const { isInitial, current, isReached, visits, stoodFor, leaving } = says;
  const facts = [
    words(node.label === '' ? '(no name)' : node.label),
    ...(node.kind === 'end' ? ['end of the session'] : []),
    ...(node.kind === 'stranger' ? ['named by no rule'] : []),
    ...(isReached ? ['reached'] : []),
    ...(isInitial ? ['begins'] : []),
    ...(current === null ? [] : [node.kind === 'rule' ? `${words(current)} has the turn` : 'has the turn']),
    ...(visits.length === 0 ? [] : [`spoke in ${turnNumbersText(visits)}`]),
    ...(stoodFor.length === 0 ? [] : [`stood for ${namesText(stoodFor)}`]),
    ...(leaving.length === 0 ? [] : [count(leaving.length, 'transition', 'leaving')]),
  ];
  return facts.join(', ');
}

/** More names than this are a number. */
const MAX_NAMES = 6;

export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(words).join(', ');
  return names.length <= MAX_NAMES ? shown : `${shown} and ${names.length - MAX_NAMES} more`;
}

export function whoIs(names: Names, id: string): string {
  return words(nameIn(names, id));
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
