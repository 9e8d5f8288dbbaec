/** Where the edges of a graph may lead the turn: from one participant to another, and to an end. */

import { type DrawnGraph, type Names, nodeOf } from './drawn-graph.ts';

export interface Leads {
  /** The node of a participant; null = no rule names it. */
  nodeOf(id: string): string | null;
  /** The edges that may have led from one to the other; from nobody (null) none. */
  between(from: string | null, to: string): readonly number[];
  /** The first node among those that edges lead to which is nobody in particular. */
  ruleAmong(edges: readonly number[]): string | null;
  /** The first node that is nobody in particular, for whoever came from nobody knows where. */
  readonly rule: string | null;
  endOf(reason: string): string | null;
  toEnd(from: string, end: string): readonly number[];
}

export function leadsIn(graph: DrawnGraph, names: Names): Leads {
  const { nodes, edges } = graph;
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const isAnyone = (id: string) => kinds.get(id) === 'anyone';
  const isRule = (id: string) => kinds.get(id) === 'rule';
  const nodeFor = kept((id: string) => nodeOf(graph, id, names));
  const fromTo = (isFrom: (node: string) => boolean, isTo: (node: string) => boolean): readonly number[] =>
    edges.flatMap(({ from, to }, i) => (isFrom(from) && isTo(to) ? [i] : []));
  /** Its own edges, else those of whoever speaks too. */
  const between = (from: string, to: string): readonly number[] => {
    const [own, target] = [nodeFor(from), nodeFor(to)];
    const isOwn = (node: string) => node === own;
    const isSameAgain = from === to ? fromTo(isAnyone, isAnyone) : [];
    if (target === null) {
      const ruled = fromTo(isOwn, isRule);
      return ruled.length > 0 ? ruled : [...fromTo(isAnyone, isRule), ...isSameAgain];
    }
    const exact = fromTo(isOwn, (node) => node === target);
    if (exact.length > 0) return exact;
    const others = fromTo(
      (node) => isOwn(node) || isAnyone(node),
      (node) => node === target || isRule(node),
    );
    return [...others, ...isSameAgain];
  };
  const pair = kept((key: string) => between(...(JSON.parse(key) as [string, string])));
  return {
    nodeOf: nodeFor,
    between: (from, to) => (from === null ? [] : pair(JSON.stringify([from, to]))),
    ruleAmong: (among) => among.map((i) => edges[i]?.to ?? '').find(isRule) ?? null,
    rule: nodes.find(({ kind }) => kind === 'rule')?.id ?? null,
    endOf: (reason) => nodes.find(({ kind, label }) => kind === 'end' && label === `end: ${reason}`)?.id ?? null,
    toEnd(from, end) {
      const isEnd = (node: string) => node === end;
      const own = fromTo((node) => node === nodeFor(from), isEnd);
      return own.length > 0 ? own : fromTo(isAnyone, isEnd);
    },
  };
}

/** A way of thousands of turns asks for the same few again and again. */
function kept<Answer>(find: (key: string) => Answer): (key: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: find(key) };
    known.set(key, found);
    return found.answer;
  };
}
