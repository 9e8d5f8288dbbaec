/** The layers with everything that takes room in them: nodes, words of edges, and the places where long edges pass. */

import type { Directed } from './acyclic.ts';
import type { Sizes } from './sizes.ts';

/** One thing in a layer. It is known by its place in `spots`. */
export interface Spot {
  readonly rank: number;
  /** Room it needs left and right of the line that runs through it. */
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly isNode: boolean;
}

export interface Layers {
  /** Nodes first, in their order. */
  readonly spots: readonly Spot[];
  /** By directed edge: the spots it runs through, from its upper node to its lower one. */
  readonly chains: readonly (readonly number[])[];
  /** By directed edge: the spot of its words; null = it has none. */
  readonly labelSpots: readonly (number | null)[];
}

const PASSING = 8;

export function layersOf(edges: readonly Directed[], ranks: readonly number[], sizes: Sizes): Layers {
  const spots: Spot[] = sizes.nodes.map(({ width, height, loops }, i) => ({
    rank: ranks[i] ?? 0,
    left: width / 2,
    right: width / 2 + loops,
    height,
    isNode: true,
  }));
  const labelSpots: (number | null)[] = [];
  const chains = edges.map(({ edge, upper, lower }) => {
    const words = sizes.labels[edge] ?? 0;
    const middle = middleOf(ranks[upper] ?? 0, ranks[lower] ?? 0);
    const chain = [upper];
    labelSpots.push(null);
    for (let rank = (ranks[upper] ?? 0) + 1; rank < (ranks[lower] ?? 0); rank++) {
      const hasWords = rank === middle && words > 0;
      if (hasWords) labelSpots[labelSpots.length - 1] = spots.length;
      chain.push(spots.length);
      const room = hasWords ? words / 2 : PASSING;
      spots.push({ rank, left: room, right: room, height: hasWords ? sizes.labelHeight : 0, isNode: false });
    }
    return [...chain, lower];
  });
  return { spots, chains, labelSpots };
}

/** The odd layer in the middle. */
function middleOf(upper: number, lower: number): number {
  const middle = Math.floor((upper + lower) / 2);
  return middle % 2 === 1 ? middle : middle + 1 < lower ? middle + 1 : middle - 1;
}
