/** Edges turned so that no way leads back: a drawing in layers needs a direction. They are drawn the way they were. */

import type { DrawnGraph } from './drawn-graph.ts';

/** An edge between layers. `isBack`: it was turned, its arrow is at its upper end. */
export interface Directed {
  readonly edge: number;
  readonly upper: number;
  readonly lower: number;
  readonly isBack: boolean;
}

/** Nodes by their place in the list; edges from a node to itself are no part of it. */
export function directed({ nodes, edges, initial }: DrawnGraph): readonly Directed[] {
  const at = new Map(nodes.map(({ id }, i) => [id, i]));
  const ends = edges.map(({ from, to }, edge) => ({ edge, from: at.get(from) ?? 0, to: at.get(to) ?? 0 }));
  const out = nodes.map((_, i) => ends.filter(({ from, to }) => from === i && to !== i));
  const back = new Set<number>();
  const visit = visitor(out, back);
  const first = initial === null ? undefined : at.get(initial);
  for (const start of [...(first === undefined ? [] : [first]), ...nodes.keys()]) visit(start);
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

/** Depth first, without recursion: an edge to a node that is still open leads back. */
function visitor(out: readonly (readonly End[])[], back: Set<number>): (start: number) => void {
  const state = out.map((): 'new' | 'open' | 'done' => 'new');
  return (start) => {
    if (state[start] !== 'new') return;
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
  };
}
