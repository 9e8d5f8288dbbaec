/** Describes a drawing in sentences, for readers who cannot see it. */

import { fittingText } from '../../text/fitting-text.ts';
import { type DrawnEdge, type DrawnNode, type Names, nameIn } from './drawn-graph.ts';
import { type PathTaken, turnNumbersText } from './path-taken.ts';

/** Width limit in letters: longer than any honest name, short enough for a screen reader. */
const MAX_UNITS = 160;

export function graphSummary({ graph: { nodes, edges, initial }, ...now }: PathTaken, names: Names): string {
  const labels = labelsOf(nodes);
  const extra = edges.filter(({ isExtra }) => isExtra === true).length;
  const sentences = [
    `Workflow with ${count(nodes.length, 'node')} and ${count(edges.length - extra, 'transition')}.`,
    ...(initial === null ? [] : [`${labels(initial)} begins.`]),
    ...(extra === 0 ? [] : [`${count(extra, 'step')} without a rule.`]),
    ...(now.reached === null ? [] : [`The session ended at ${labels(now.reached)}.`]),
  ];
  if (now.current === null || now.lit === null) return sentences.join(' ');
  const who = now.stoodFor.has(now.lit) ? `${whoIs(names, now.current)} (${labels(now.lit)})` : labels(now.lit);
  return [...sentences, `${who} has the turn.`].join(' ');
}

/** Describes each edge in one sentence. */
export function transitionTexts({ graph: { nodes, edges }, edges: takenEdges }: PathTaken): readonly string[] {
  const labels = labelsOf(nodes);
  return edges.map(({ from, to, label }, i) => {
    const when = label === '' ? '' : `: ${words(label)}`;
    const way = from === to ? `${labels(from)} again` : `${labels(from)} \u2192 ${labels(to)}`;
    const marks = takenEdges.get(i);
    if (marks === undefined) return `${way}${when}`;
    const taken = marks.isCertain ? 'taken' : 'possibly taken';
    return `${way}${when} (${taken} after ${turnNumbersText(marks.after)})`;
  });
}

export interface NodeFacts {
  readonly isInitial: boolean;
  /** The name of the turn holder at this node; null if there is none. */
  readonly current: string | null;
  readonly isReached: boolean;
  readonly visits: readonly number[];
  /** The names of the participants that this rule node stood for. */
  readonly stoodFor: readonly string[];
  readonly leaving: readonly DrawnEdge[];
}

export function nodeText(node: DrawnNode, says: NodeFacts): string {
  const { isInitial, current, isReached, visits, stoodFor, leaving } = says;
  const facts = [
    words(node.label === '' ? '(no name)' : node.label),
    ...(node.kind === 'end' ? ['end of the session'] : []),
    ...(node.kind === 'stranger' ? ['not in the rules'] : []),
    ...(isReached ? ['reached'] : []),
    ...(isInitial ? ['begins'] : []),
    ...(current === null ? [] : [node.kind === 'rule' ? `${words(current)} has the turn` : 'has the turn']),
    ...(visits.length === 0 ? [] : [`spoke in ${turnNumbersText(visits)}`]),
    ...(stoodFor.length === 0 ? [] : [`stood for ${namesText(stoodFor)}`]),
    ...(leaving.length === 0 ? [] : [`${count(leaving.length, 'transition')} leaving`]),
  ];
  return facts.join(', ');
}

/** Maximum number of names listed; further names are only counted. */
const MAX_NAMES = 6;

export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(words).join(', ');
  return names.length <= MAX_NAMES ? shown : `${shown} and ${names.length - MAX_NAMES} more`;
}

function whoIs(names: Names, id: string): string {
  return words(nameIn(names, id));
}

function labelsOf(nodes: readonly DrawnNode[]): (id: string) => string {
  const known = new Map(nodes.map(({ id, label }) => [id, label]));
  return (id) => words(known.get(id) || id || '(no name)');
}

function words(text: string): string {
  return fittingText(text, MAX_UNITS).text;
}

/** `1 node`, `2 nodes`. */
export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
