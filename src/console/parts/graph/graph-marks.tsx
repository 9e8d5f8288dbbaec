/** Renders the nodes and edges of a drawing as SVG. */

import type { VNode } from 'preact';
import { fittingText } from '../../text/fitting-text.ts';
import { type NodeFacts, namesText, nodeText } from './graph-text.ts';
import type { PlacedEdge, PlacedNode } from './layout.ts';
import { type EdgeTaken, shortTurnNumbers, turnNumbersText } from './path-taken.ts';

interface NodeMarkProps extends Omit<NodeFacts, 'isInitial'> {
  readonly placed: PlacedNode;
  readonly isStop: boolean;
  readonly elementRef: (element: SVGGElement | null) => void;
}

/** Estimated width in px of a letter in the small text of a node. */
const SMALL_UNIT = 6.4;

export function NodeMark({ placed, isStop, elementRef, ...says }: NodeMarkProps): VNode {
  const { node, text, isInitial, x, y, width, height } = placed;
  const { current, isReached, visits, stoodFor } = says;
  const classes = [
    `graph-node graph-node-${node.kind}`,
    ...(isInitial ? ['graph-node-initial'] : []),
    ...(visits.length > 0 ? ['graph-node-visited'] : []),
    ...(isReached ? ['graph-node-reached'] : []),
    ...(current === null ? [] : ['graph-node-current']),
  ];
  const isSpeaker = node.kind === 'speaker' || node.kind === 'stranger';
  const corner = node.kind === 'start' || node.kind === 'end' ? height / 2 : isSpeaker ? 6 : 0;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group in a drawing is not interactive.
    <g
      ref={elementRef}
      class={classes.join(' ')}
      role="img"
      aria-label={nodeText(node, { isInitial, ...says })}
      // Lower case: SVG attribute names are case-sensitive.
      tabindex={isStop ? 0 : -1}
    >
      <title>{stoodFor.length === 0 ? node.label : `${node.label}: ${namesText(stoodFor)}`}</title>
      <rect class="graph-node-focus" x={x - 4} y={y - 4} width={width + 8} height={height + 8} rx={corner + 4} />
      <rect class="graph-node-box" x={x} y={y} width={width} height={height} rx={corner} />
      {/* An inner svg clips text that is wider than estimated. */}
      <svg x={x + 4} y={y} width={width - 8} height={height} aria-hidden="true">
        <text class="graph-node-text" x={(width - 8) / 2} y={height / 2}>
          {text.text}
        </text>
        {isInitial && (
          <text class="graph-begin" x={2} y={11}>
            begins
          </text>
        )}
        {current !== null && node.kind === 'rule' && (
          <text class="graph-who" x={2} y={11}>
            {fittingText(current, Math.floor((width - 12) / SMALL_UNIT)).text}
          </text>
        )}
        {visits.length > 0 && (
          <text class="graph-turns" x={width - 10} y={height - 5}>
            {shortTurnNumbers(visits)}
          </text>
        )}
      </svg>
    </g>
  );
}

interface EdgeMarkProps {
  readonly edge: PlacedEdge;
  /** The complete label; the drawn one may be shortened. */
  readonly words: string;
  readonly taken: EdgeTaken | undefined;
  /** True for a step taken without a rule. */
  readonly isExtra: boolean;
}

export function EdgeMark({ edge, words, taken, isExtra }: EdgeMarkProps): VNode {
  const { path, arrow, label, text } = edge;
  return (
    <g class={`graph-edge ${isExtra ? 'graph-edge-extra' : takenClass(taken)}`}>
      {(words !== '' || taken !== undefined) && (
        <title>{taken === undefined ? words : `${words} (after ${turnNumbersText(taken.after)})`.trim()}</title>
      )}
      <path class="graph-edge-line" d={path} />
      <path class="graph-edge-head" d={arrow} />
      {label !== null && (
        <svg x={label.x} y={label.y} width={label.width} height={label.height} aria-hidden="true">
          <rect class="graph-edge-ground" width={label.width} height={label.height} rx={4} />
          <text class="graph-edge-text" x={label.width / 2} y={label.height / 2}>
            {text.text}
          </text>
        </svg>
      )}
    </g>
  );
}

function takenClass(taken: EdgeTaken | undefined): string {
  if (taken === undefined) return '';
  return taken.isCertain ? 'graph-edge-taken' : 'graph-edge-perhaps';
}
