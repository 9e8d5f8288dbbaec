/** A workflow as a picture: who has the turn is lit, and the way it took is marked. The same in sentences below it. */

import type { VNode } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import '../parts.css';
import './graph.css';
import { type DrawnGraph, type Names, nodeOf, readGraph } from './drawn-graph.ts';
import { EdgeMark } from './edge-mark.tsx';
import { graphSummary, transitionWords } from './graph-words.ts';
import { isDrawable, type Layout, layoutOf } from './layout.ts';
import { NodeMark } from './node-mark.tsx';
import { type PathTaken, pathTaken } from './path-taken.ts';
import { useRoving } from './roving.ts';

export interface GraphDrawingProps {
  /** What `check_graph` answered. */
  readonly graph: unknown;
  /** Who has the turn, by id; null = nobody. */
  readonly current?: string | null;
  /** The ids of who spoke, in order. */
  readonly path?: readonly string[];
  /** What to write for an id. */
  readonly names?: Names;
}

const NOBODY: Names = {};
const NO_PATH: readonly string[] = [];

export function GraphDrawing(props: GraphDrawingProps): VNode {
  const { graph: answer, current = null, path = NO_PATH, names = NOBODY } = props;
  const graph = useMemo(() => readGraph(answer, names), [answer, names]);
  const layout = useMemo(() => (isDrawable(graph) ? layoutOf(graph) : null), [graph]);
  const taken = useMemo(() => pathTaken(graph, path, names), [graph, path, names]);
  const lit = current === null ? null : nodeOf(graph, current, names);
  const id = useId();
  if (graph.nodes.length === 0) return <p class="graph-empty">There is nothing to draw.</p>;
  return (
    <figure class="graph">
      {layout === null ? (
        <p class="graph-empty">It has too many nodes or transitions to be drawn. This is what it says:</p>
      ) : (
        <Picture graph={graph} layout={layout} taken={taken} lit={lit} describedBy={id} />
      )}
      <details class="graph-words" open={layout === null}>
        <summary>
          {graph.edges.length} {graph.edges.length === 1 ? 'transition' : 'transitions'} in words
        </summary>
        <ol id={id}>
          {transitionWords(graph, taken).map((words, i) => (
            <li key={i}>{words}</li>
          ))}
        </ol>
      </details>
    </figure>
  );
}

interface PictureProps {
  readonly graph: DrawnGraph;
  readonly layout: Layout;
  readonly taken: PathTaken;
  readonly lit: string | null;
  readonly describedBy: string;
}

/** Wider than this the words would be too small in a column: it keeps its size, and one moves about in it. */
const MOST_FITTED = 640;

/** A group, not an image: what is in an image cannot be reached by keyboard. */
function Picture({ graph, layout, taken, lit, describedBy }: PictureProps): VNode {
  const first = Math.max(
    0,
    graph.nodes.findIndex(({ id }) => id === (lit ?? graph.initial)),
  );
  const { stop, refAt, onKeyDown } = useRoving(layout.nodes.length, first);
  const { width, height } = layout;
  return (
    <div class="graph-picture">
      <svg
        class={width <= MOST_FITTED ? 'graph-fits' : ''}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={graphSummary(graph, lit)}
        aria-describedby={describedBy}
        onKeyDown={onKeyDown}
      >
        {layout.edges.map((edge) => (
          <EdgeMark
            key={edge.edge}
            edge={edge}
            words={graph.edges[edge.edge]?.label ?? ''}
            taken={taken.edges.get(edge.edge)}
          />
        ))}
        {layout.nodes.map((placed, i) => (
          <NodeMark
            key={placed.node.id}
            placed={placed}
            leaving={graph.edges.filter(({ from }) => from === placed.node.id)}
            visits={taken.visits.get(placed.node.id) ?? []}
            isCurrent={placed.node.id === lit}
            isStop={i === stop}
            elementRef={refAt(i)}
          />
        ))}
      </svg>
    </div>
  );
}
