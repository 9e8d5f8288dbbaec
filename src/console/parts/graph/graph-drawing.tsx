/** Shows a workflow as a drawing, with its turn holder and path highlighted, and in sentences below it. */

import type { VNode } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import '../parts.css';
import './graph.css';
import { Line } from '../../text/untrusted-text.tsx';
import { type DrawnGraph, type Names, nameIn, readGraph } from './drawn-graph.ts';
import { EdgeMark, NodeMark } from './graph-marks.tsx';
import { count, graphSummary, transitionTexts } from './graph-text.ts';
import { isDrawable, type Layout, layoutOf } from './layout.ts';
import { type PathTaken, pathTaken, type Way } from './path-taken.ts';
import { useRoving } from './roving.ts';

interface GraphDrawingProps extends Partial<Way> {
  /** The answer of `check_graph`. */
  readonly graph: unknown;
  readonly names?: Names;
}

const NOBODY: Names = {};
const NO_PATH: readonly string[] = [];

export function GraphDrawing(props: GraphDrawingProps): VNode {
  const { graph: answer, path = NO_PATH, current = null, end = null, names = NOBODY } = props;
  const { isWhole = true, hasGaps = false } = props;
  const given = useMemo(() => readGraph(answer, names), [answer, names]);
  const taken = useMemo(
    () => pathTaken(given, { path, current, end, isWhole, hasGaps }, names),
    [given, path, current, end, isWhole, hasGaps, names],
  );
  const drawn = useDrawn(given, taken.graph);
  const extra = taken.graph.edges.length - given.edges.length;
  const id = useId();
  if (given.nodes.length === 0) return <p class="graph-empty">Nothing to draw.</p>;
  return (
    <figure class="graph">
      {drawn === null ? (
        <p class="graph-empty">Too many nodes or transitions to draw. The transitions in words:</p>
      ) : (
        <Picture {...drawn} taken={taken} names={names} describedBy={id} />
      )}
      <Now current={current} end={end} names={names} />
      <details class="graph-words" open={drawn === null}>
        <summary>
          {count(given.edges.length, 'transition')} in words
          {extra > 0 && `, and ${count(extra, 'step')} without a rule`}
        </summary>
        <ol id={id}>
          {transitionTexts(taken).map((words, i) => (
            <li key={i}>{words}</li>
          ))}
        </ol>
      </details>
    </figure>
  );
}

interface Drawn {
  readonly graph: DrawnGraph;
  readonly layout: Layout;
}

/** Lays out the graph, with the steps without a rule if they fit. null if even the graph alone is too large. */
function useDrawn(given: DrawnGraph, walked: DrawnGraph): Drawn | null {
  const extra = JSON.stringify([walked.nodes.slice(given.nodes.length), walked.edges.slice(given.edges.length)]);
  return useMemo(() => {
    const graph = isDrawable(walked) ? walked : given;
    return isDrawable(graph) ? { graph, layout: layoutOf(graph) } : null;
  }, [given, extra]);
}

/** Names the turn holder, or the reason for the end of the session, which a node may not show. */
function Now({ current, end, names }: Pick<Way, 'current' | 'end'> & { readonly names: Names }): VNode | null {
  if (end !== null) {
    return (
      <p class="graph-now">
        Session ended: <Line text={end} />
      </p>
    );
  }
  if (current === null) return null;
  return (
    <p class="graph-now">
      <Line text={nameIn(names, current)} /> has the turn.
    </p>
  );
}

interface PictureProps extends Drawn {
  readonly taken: PathTaken;
  readonly names: Names;
  readonly describedBy: string;
}

/** A wider drawing keeps its size and scrolls: fitted into a column, it would be unreadable. */
const MAX_FITTED = 640;

/** Has the role `group`, not `img`: the keyboard cannot reach the content of an image. */
function Picture({ graph, layout, taken, names, describedBy }: PictureProps): VNode {
  const { lit, current, reached } = taken;
  const named = (id: string) => nameIn(names, id);
  const first = Math.max(
    0,
    graph.nodes.findIndex(({ id }) => id === (lit ?? graph.initial)),
  );
  const { stop, refAt, onKeyDown } = useRoving(layout.nodes.length, first);
  const { width, height } = layout;
  return (
    <div class="graph-picture">
      <svg
        class={width <= MAX_FITTED ? 'graph-fits' : ''}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={graphSummary(taken, names)}
        aria-describedby={describedBy}
        onKeyDown={onKeyDown}
      >
        {layout.edges.map((edge) => (
          <EdgeMark
            key={edge.edge}
            edge={edge}
            words={graph.edges[edge.edge]?.label ?? ''}
            taken={taken.edges.get(edge.edge)}
            isExtra={graph.edges[edge.edge]?.isExtra === true}
          />
        ))}
        {layout.nodes.map((placed, i) => (
          <NodeMark
            key={placed.node.id}
            placed={placed}
            leaving={graph.edges.filter(({ from }) => from === placed.node.id)}
            visits={taken.visits.get(placed.node.id) ?? []}
            stoodFor={(taken.stoodFor.get(placed.node.id) ?? []).map(named)}
            current={current !== null && placed.node.id === lit ? named(current) : null}
            isReached={placed.node.id === reached}
            isStop={i === stop}
            elementRef={refAt(i)}
          />
        ))}
      </svg>
    </div>
  );
}
