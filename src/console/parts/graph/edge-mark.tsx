/** An edge of a drawing: its line, arrow and label. */

import type { VNode } from 'preact';
import type { PlacedEdge } from './layout.ts';
import { type EdgeTaken, turnNumbersText } from './path-taken.ts';

interface EdgeMarkProps {
  readonly edge: PlacedEdge;
  /** The whole label; the drawn one may be shortened. */
  readonly words: string;
  readonly taken: EdgeTaken | undefined;
  /** A step without a rule. */
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
