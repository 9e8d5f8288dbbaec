/** A node of a drawing: its name as text in a box that clips it, and marks for beginning, turn and visits. */

import type { VNode } from 'preact';
import type { DrawnEdge } from './drawn-graph.ts';
import { nodeWords } from './graph-words.ts';
import type { PlacedNode } from './layout.ts';
import { turnsInShort } from './path-taken.ts';

interface NodeMarkProps {
  readonly placed: PlacedNode;
  readonly leaving: readonly DrawnEdge[];
  readonly visits: readonly number[];
  readonly isCurrent: boolean;
  readonly isStop: boolean;
  readonly elementRef: (element: SVGGElement | null) => void;
}

export function NodeMark({ placed, leaving, visits, isCurrent, isStop, elementRef }: NodeMarkProps): VNode {
  const { node, text, isInitial, x, y, width, height } = placed;
  const classes = [
    `graph-node graph-node-${node.kind}`,
    ...(isInitial ? ['graph-node-initial'] : []),
    ...(visits.length > 0 ? ['graph-node-visited'] : []),
    ...(isCurrent ? ['graph-node-current'] : []),
  ];
  const corner = node.kind === 'start' || node.kind === 'end' ? height / 2 : node.kind === 'speaker' ? 6 : 0;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group of a drawing does nothing by itself.
    <g
      ref={elementRef}
      class={classes.join(' ')}
      role="img"
      aria-label={nodeWords(node, { isInitial, isCurrent, visits, leaving })}
      // In small letters: names of attributes of SVG are taken as they are written.
      tabindex={isStop ? 0 : -1}
    >
      <title>{node.label}</title>
      <rect class="graph-node-focus" x={x - 4} y={y - 4} width={width + 8} height={height + 8} rx={corner + 4} />
      <rect class="graph-node-box" x={x} y={y} width={width} height={height} rx={corner} />
      {/* An inner svg clips what is wider than it was thought to be. */}
      <svg x={x + 4} y={y} width={width - 8} height={height} aria-hidden="true">
        <text class="graph-node-text" x={(width - 8) / 2} y={height / 2}>
          {text.text}
        </text>
        {isInitial && (
          <text class="graph-begin" x={2} y={11}>
            begins
          </text>
        )}
        {visits.length > 0 && (
          <text class="graph-turns" x={width - 10} y={height - 5}>
            {turnsInShort(visits)}
          </text>
        )}
      </svg>
    </g>
  );
}
