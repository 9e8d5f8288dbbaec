/** Computes where each node and edge is drawn. The same graph always gives the same drawing. */

import type { FittingText } from '../../text/fitting-text.ts';
import type { DrawnGraph, DrawnNode } from './drawn-graph.ts';
import { type Directed, directed, type Layers, layersOf } from './layers.ts';
import { findNeighbours, orderOf, spread } from './placement.ts';
import { loopRoute, type Point, type Route, routeThrough } from './route.ts';
import { type Sizes, sizesOf } from './sizes.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Box {
  readonly node: DrawnNode;
  readonly text: FittingText;
  readonly isInitial: boolean;
}

export interface PlacedEdge extends Route {
  /** Index of the edge in the graph. */
  readonly edge: number;
  readonly text: FittingText;
  /** null if the edge has no label. */
  readonly label: Box | null;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  /** In the order of the graph's edges. */
  readonly edges: readonly PlacedEdge[];
}

/** A graph above these limits is shown as a list. */
const MAX_DRAWN_NODES = 150;
const MAX_DRAWN_EDGES = 600;

export function isDrawable({ nodes, edges }: DrawnGraph): boolean {
  return nodes.length <= MAX_DRAWN_NODES && edges.length <= MAX_DRAWN_EDGES;
}

const MARGIN = 16;
const RANK_GAP = 26;

export function layoutOf(graph: DrawnGraph): Layout {
  const sizes = sizesOf(graph);
  const arrows = directed(graph);
  const layers = layersOf(arrows, sizes);
  const neighbours = findNeighbours(layers);
  const order = orderOf(layers, neighbours);
  const middles = spread(layers.spots, order, neighbours);
  const left = Math.min(...layers.spots.map((spot, i) => (middles[i] ?? 0) - spot.left), 0);
  const rows = rowsOf(layers);
  const rowOf = (spot: number): Row => rows.rows[layers.spots[spot]?.rank ?? 0] ?? { top: 0, bottom: 0 };
  const centre = (spot: number): Point => ({
    x: Math.round((middles[spot] ?? 0) - left + MARGIN),
    y: Math.round((rowOf(spot).top + rowOf(spot).bottom) / 2),
  });
  const nodes = placedNodes(graph, sizes, centre);
  const edges = placedEdges({ graph, sizes, arrows, layers, nodes, centre, rowOf });
  const right = Math.max(0, ...layers.spots.map((spot, i) => centre(i).x + spot.right));
  return { width: Math.ceil(right + MARGIN), height: Math.ceil(rows.height), nodes, edges };
}

/** The vertical extent of a layer. */
interface Row {
  readonly top: number;
  readonly bottom: number;
}

function rowsOf({ spots }: Layers): { readonly rows: readonly Row[]; readonly height: number } {
  const last = Math.max(0, ...spots.map(({ rank }) => rank));
  const heights = new Array<number>(last + 1).fill(0);
  for (const { rank, height } of spots) heights[rank] = Math.max(heights[rank] ?? 0, height);
  let y = MARGIN;
  const rows = heights.map((height) => {
    const row = { top: y, bottom: y + height };
    y += height + RANK_GAP;
    return row;
  });
  return { rows, height: y - RANK_GAP + MARGIN };
}

function placedNodes(
  { nodes, initial }: DrawnGraph,
  sizes: Sizes,
  centre: (spot: number) => Point,
): readonly PlacedNode[] {
  return nodes.map((node, i) => {
    const { width = 0, height = 0 } = sizes.nodes[i] ?? {};
    const { x, y } = centre(i);
    return {
      node,
      text: sizes.nodeTexts[i] ?? NOTHING,
      isInitial: node.id === initial,
      x: x - Math.round(width / 2),
      y: y - Math.round(height / 2),
      width,
      height,
    };
  });
}

const NOTHING: FittingText = { text: '', isCut: false, units: 0 };

interface Parts {
  readonly graph: DrawnGraph;
  readonly sizes: Sizes;
  readonly arrows: readonly Directed[];
  readonly layers: Layers;
  readonly nodes: readonly PlacedNode[];
  readonly centre: (spot: number) => Point;
  readonly rowOf: (spot: number) => Row;
}

/** Lets a line cross a layer vertically, in the room kept for it, and move sideways only between layers. */
function placedEdges({ graph, sizes, arrows, layers, nodes, centre, rowOf }: Parts): readonly PlacedEdge[] {
  const ports = portsOf(arrows, layers, nodes, centre);
  const between = arrows.map(({ edge, isBack, upper, lower }, i): PlacedEdge => {
    const passed = (layers.chains[i] ?? []).slice(1, -1).flatMap((spot) => {
      const { x } = centre(spot);
      return [
        { x, y: rowOf(spot).top },
        { x, y: rowOf(spot).bottom },
      ];
    });
    const { top, bottom } = ports[i] ?? { top: { x: 0, y: 0 }, bottom: { x: 0, y: 0 } };
    const leaves = { x: top.x, y: rowOf(upper).bottom };
    const arrives = { x: bottom.x, y: rowOf(lower).top };
    const spot = layers.labelSpots[i] ?? null;
    const width = sizes.labels[edge] ?? 0;
    const label = spot === null ? null : boxAround(centre(spot), width, sizes.labelHeight);
    return {
      edge,
      text: sizes.labelTexts[edge] ?? NOTHING,
      label,
      ...routeThrough([top, leaves, ...passed, arrives, bottom], isBack),
    };
  });
  const loops = nodes.flatMap((placed) => loopsOf(placed, graph, sizes));
  return [...between, ...loops].sort((a, b) => a.edge - b.edge);
}

function boxAround({ x, y }: Point, width: number, height: number): Box {
  return { x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height };
}

/** Places the ends of a node's edges side by side, ordered by where the edges lead. */
function portsOf(
  arrows: readonly Directed[],
  { chains }: Layers,
  nodes: readonly PlacedNode[],
  centre: (spot: number) => Point,
): readonly { readonly top: Point; readonly bottom: Point }[] {
  const ports = arrows.map(() => ({ top: { x: 0, y: 0 }, bottom: { x: 0, y: 0 } }));
  for (const [i, box] of nodes.entries()) {
    const leaving = arrows.flatMap(({ upper }, at) => (upper === i ? [{ at, x: centre(chains[at]?.[1] ?? 0).x }] : []));
    const arriving = arrows.flatMap(({ lower }, at) =>
      lower === i ? [{ at, x: centre(chains[at]?.at(-2) ?? 0).x }] : [],
    );
    for (const [at, point] of side(leaving, box, box.y + box.height)) Object.assign(ports[at] ?? {}, { top: point });
    for (const [at, point] of side(arriving, box, box.y)) Object.assign(ports[at] ?? {}, { bottom: point });
  }
  return ports;
}

const PORT_GAP = 18;

function side(ends: readonly { readonly at: number; readonly x: number }[], box: Box, y: number) {
  const sorted = ends.toSorted((a, b) => a.x - b.x || a.at - b.at);
  const gap = Math.min(PORT_GAP, (box.width - 20) / Math.max(1, ends.length - 1));
  const begin = box.x + box.width / 2 - (gap * (ends.length - 1)) / 2;
  return sorted.map(({ at }, i) => [at, { x: Math.round(begin + gap * i), y }] as const);
}

function loopsOf(box: PlacedNode, { edges }: DrawnGraph, sizes: Sizes): readonly PlacedEdge[] {
  const own = [...edges.entries()].filter(([, { from, to }]) => from === box.node.id && to === box.node.id);
  return own.map(([edge], i) => {
    const route = loopRoute(box, i, own.length);
    const width = sizes.labels[edge] ?? 0;
    const label =
      width === 0 ? null : boxAround({ x: route.beside.x + width / 2, y: route.beside.y }, width, sizes.labelHeight);
    return { edge, text: sizes.labelTexts[edge] ?? NOTHING, label, path: route.path, arrow: route.arrow };
  });
}
