/** The way a session has taken through its graph: when each node spoke, and which edges lead from speaker to speaker. */

import { type DrawnGraph, type Names, nodeOf } from './drawn-graph.ts';

export interface EdgeTaken {
  /** The turns after which the way led over it, counted from 1. */
  readonly after: readonly number[];
  /** Another edge leads from and to the same: it may have been that one. */
  readonly isCertain: boolean;
}

export interface PathTaken {
  /** By node: its turns, counted from 1. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
  /** By edge. */
  readonly edges: ReadonlyMap<number, EdgeTaken>;
}

/** `path`: the ids of who spoke, in order. Steps that no edge of the graph says (such as a handoff) mark no edge. */
export function pathTaken(graph: DrawnGraph, path: readonly string[], names: Names = {}): PathTaken {
  const nodes = new Map([...new Set(path)].map((id) => [id, nodeOf(graph, id, names)]));
  const way = path.map((id) => nodes.get(id) ?? null);
  const visits = new Map<string, number[]>();
  for (const [i, node] of way.entries()) if (node !== null) listIn(visits, node).push(i + 1);
  const over = waysIn(graph);
  const after = new Map<number, number[]>();
  const doubtful = new Set<number>();
  for (const [i, from] of way.entries()) {
    const to = way[i + 1] ?? null;
    const found = from === null || to === null ? [] : over(from, to);
    for (const edge of found) {
      listIn(after, edge).push(i + 1);
      if (found.length > 1) doubtful.add(edge);
    }
  }
  const edges = [...after].map(([edge, turns]) => [edge, { after: turns, isCertain: !doubtful.has(edge) }] as const);
  return { visits, edges: new Map(edges) };
}

/** The edges that may have led from one to the other: its own, else those of whoever speaks, and those to somebody by a rule. */
function waysIn({ nodes, edges }: DrawnGraph): (from: string, to: string) => readonly number[] {
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const known = new Map<string, readonly number[]>();
  const find = (from: string, to: string): readonly number[] => {
    const own = [...edges.keys()].filter((i) => edges[i]?.from === from && edges[i]?.to === to);
    if (own.length > 0) return own;
    return [...edges.keys()].filter((i) => {
      const edge = edges[i];
      if (edge === undefined || (edge.from !== from && kinds.get(edge.from) !== 'anyone')) return false;
      return edge.to === to || kinds.get(edge.to) === 'rule';
    });
  };
  return (from, to) => {
    const key = JSON.stringify([from, to]);
    const found = known.get(key) ?? find(from, to);
    known.set(key, found);
    return found;
  };
}

function listIn<Key>(lists: Map<Key, number[]>, key: Key): number[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: number[] = [];
  lists.set(key, made);
  return made;
}

/** `1 4 7`, and of many the first and the last. */
export function turnsInShort(turns: readonly number[]): string {
  return turns.length <= 3 ? turns.join(' ') : `${turns[0]} \u2026 ${turns.at(-1)}`;
}

/** `turn 3`, `turns 1, 4 and 7`, `12 turns, the last 41`. */
export function turnsInWords(turns: readonly number[]): string {
  if (turns.length === 0) return 'no turn';
  if (turns.length === 1) return `turn ${turns[0]}`;
  if (turns.length > 6) return `${turns.length} turns, the last ${turns.at(-1)}`;
  return `turns ${turns.slice(0, -1).join(', ')} and ${turns.at(-1)}`;
}

interface Spoken {
  readonly sender_id: string;
  readonly event_type: string;
}

/** Who took turns, in the order of the log. */
export function speakersIn(envelopes: readonly Spoken[]): readonly string[] {
  return envelopes
    .filter(({ event_type }) => event_type === 'msg.text' || event_type === 'msg.packet')
    .map(({ sender_id }) => sender_id);
}
