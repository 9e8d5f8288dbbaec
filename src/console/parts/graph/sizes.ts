/** Estimates the size of the texts of a graph without measuring them in a browser. */

import { fittingText } from '../../text/fitting-text.ts';
import type { DrawnGraph } from './drawn-graph.ts';

export type Sizes = Readonly<ReturnType<typeof sizesOf>>;

/** Letter widths in px for a wide font at 12 and 11 px; each box clips text that is even wider. */
const NODE_UNIT = 7.6;
const LABEL_UNIT = 6.6;
const MAX_NODE_UNITS = 22;
const MAX_LABEL_UNITS = 26;
const MIN_NODE_WIDTH = 72;
const NODE_HEIGHT = 44;

const LABEL_HEIGHT = 18;
/** The width and height of an edge from a node to itself. */
export const LOOP_REACH = 24;
export const LOOP_HEIGHT = 22;

export function sizesOf({ nodes, edges }: DrawnGraph) {
  const nodeTexts = nodes.map(({ label }) => fittingText(label === '' ? '(no name)' : label, MAX_NODE_UNITS));
  const labelTexts = edges.map(({ label }) => fittingText(label, MAX_LABEL_UNITS));
  const labels = labelTexts.map(({ units }) => (units === 0 ? 0 : Math.ceil(units * LABEL_UNIT) + 10));
  return {
    nodes: nodes.map(({ id }, i) => {
      const own = edges.flatMap(({ from, to }, edge) => (from === id && to === id ? [labels[edge] ?? 0] : []));
      return {
        width: Math.max(MIN_NODE_WIDTH, Math.ceil((nodeTexts[i]?.units ?? 0) * NODE_UNIT) + 24),
        height: Math.max(NODE_HEIGHT, own.length * LOOP_HEIGHT + 8),
        /** Width on the right for edges from the node to itself. */
        loops: own.length === 0 ? 0 : LOOP_REACH + Math.max(...own) + 4,
      };
    }),
    nodeTexts,
    /** Label width by edge; 0 if the edge has no label. */
    labels,
    labelTexts,
    labelHeight: LABEL_HEIGHT,
  };
}
