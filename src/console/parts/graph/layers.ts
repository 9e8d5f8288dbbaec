/** Assigns nodes, labels and passing edges to the layers of a drawing, from top to bottom. */

import type { DrawnGraph } from './drawn-graph.ts';
import type { Sizes } from './sizes.ts';

/** An edge between layers. `isBack`: it was reversed, so its arrow is at the upper end. */
export interface Directed {
  readonly edge: number;
  readonly upper: number;
  readonly lower: number;
  readonly isBack: boolean;
}

/** Reverses edges until no cycle is left. Nodes are given by index; edges from a node to itself are dropped. */
export function directed({ nodes, edges, initial }: DrawnGraph): readonly Directed[] {
  const at = new Map(nodes.map(({ id }, i) => [id, i]));
  const ends = edges.map(({ from, to }, edge) => ({ edge, from: at.get(from) ?? 0, to: at.get(to) ?? 0 }));
  const out = nodes.map((_, i) => ends.filter(({ from, to }) => from === i && to !== i));
  const first = initial === null ? undefined : at.get(initial);
  const back = findBackEdges(out, [...(first === undefined ? [] : [first]), ...nodes.keys()]);
  return ends
    .filter(({ from, to }) => from !== to)
    .map(({ edge, from, to }) =>
      back.has(edge) ? { edge, upper: to, lower: from, isBack: true } : { edge, upper: from, lower: to, isBack: false },
    );
}

interface End {
  readonly edge: number;
  readonly to: number;
}

/** Searches depth first, without recursion: an edge to a node still on the current path leads back. */
function findBackEdges(out: readonly (readonly End[])[], starts: readonly number[]): ReadonlySet<number> {
  const back = new Set<number>();
  const state = out.map((): 'new' | 'open' | 'done' => 'new');
  for (const start of starts) {
    if (state[start] !== 'new') continue;
    const stack = [{ node: start, next: 0 }];
    state[start] = 'open';
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const end = out[top.node]?.[top.next++];
      if (end === undefined) {
        state[top.node] = 'done';
        stack.pop();
      } else if (state[end.to] === 'open') back.add(end.edge);
      else if (state[end.to] === 'new') {
        state[end.to] = 'open';
        stack.push({ node: end.to, next: 0 });
      }
    }
  }
  return back;
}

/** A node, a label or a passing edge in a layer, identified by its index in `spots`. */
export interface Spot {
  readonly rank: number;
  /** Width needed left and right of the centre of the spot. */
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly isNode: boolean;
}

export interface Layers {
  /** Nodes first, in the order of the graph; then the labels and passing points of long edges. */
  readonly spots: readonly Spot[];
  /** By directed edge: the spots on its way, from its upper node to its lower one. */
  readonly chains: readonly (readonly number[])[];
  /** By directed edge: the spot of its label; null if it has no label. */
  readonly labelSpots: readonly (number | null)[];
}

const PASSING = 8;

export function layersOf(edges: readonly Directed[], sizes: Sizes): Layers {
  const ranks = ranksOf(sizes.nodes.length, edges);
  const spots: Spot[] = sizes.nodes.map(({ width, height, loops }, i) => ({
    rank: ranks[i] ?? 0,
    left: width / 2,
    right: width / 2 + loops,
    height,
    isNode: true,
  }));
  const labelSpots: (number | null)[] = [];
  const chains = edges.map(({ edge, upper, lower }) => {
    const labelWidth = sizes.labels[edge] ?? 0;
    const [top, bottom] = [ranks[upper] ?? 0, ranks[lower] ?? 0];
    const middle = middleOf(top, bottom);
    const chain = [upper];
    labelSpots.push(null);
    for (let rank = top + 1; rank < bottom; rank++) {
      const isLabel = rank === middle && labelWidth > 0;
      if (isLabel) labelSpots[labelSpots.length - 1] = spots.length;
      chain.push(spots.length);
      const room = isLabel ? labelWidth / 2 : PASSING;
      spots.push({ rank, left: room, right: room, height: isLabel ? sizes.labelHeight : 0, isNode: false });
    }
    return [...chain, lower];
  });
  return { spots, chains, labelSpots };
}

/** Nodes are in even layers, labels of edges in the odd ones between them. */
function ranksOf(count: number, edges: readonly Directed[]): readonly number[] {
  const ranks = new Array<number>(count).fill(0);
  const missing = new Array<number>(count).fill(0);
  const below = Array.from({ length: count }, (): number[] => []);
  for (const { upper, lower } of edges) {
    missing[lower] = (missing[lower] ?? 0) + 1;
    below[upper]?.push(lower);
  }
  const ready = [...missing.keys()].filter((node) => missing[node] === 0);
  for (let node = ready.shift(); node !== undefined; node = ready.shift()) {
    for (const lower of below[node] ?? []) {
      ranks[lower] = Math.max(ranks[lower] ?? 0, (ranks[node] ?? 0) + 2);
      missing[lower] = (missing[lower] ?? 0) - 1;
      if (missing[lower] === 0) ready.push(lower);
    }
  }
  return ranks;
}

/** The odd layer nearest to the middle between two layers. */
function middleOf(upper: number, lower: number): number {
  const middle = Math.floor((upper + lower) / 2);
  if (middle % 2 === 1) return middle;
  return middle + 1 < lower ? middle + 1 : middle - 1;
}
