/** Computes the line and arrow of an edge as SVG path data. */

import { LOOP_HEIGHT, LOOP_REACH } from './sizes.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Route {
  /** The `d` attribute of the line. */
  readonly path: string;
  /** The `d` attribute of the arrow's head. */
  readonly arrow: string;
}

const HEAD = 8;

/** The route from the upper node to the lower one. If `isBack`, the arrow is at the upper end. */
export function routeThrough(points: readonly Point[], isBack: boolean): Route {
  const apart = points.filter(({ x, y }, i) => x !== points[i - 1]?.x || y !== points[i - 1]?.y);
  const [top = ORIGIN, ...others] = apart;
  const bottom = others.at(-1) ?? top;
  const begin = isBack ? { x: top.x, y: top.y + HEAD } : top;
  const end = isBack ? bottom : { x: bottom.x, y: bottom.y - HEAD };
  const line = [begin, ...others.slice(0, -1), end];
  const curves = line.slice(1).map((to, i) => curve(line[i] ?? begin, to));
  return {
    path: `M${begin.x} ${begin.y}${curves.join('')}`,
    arrow: isBack ? head(top, HEAD) : head(bottom, -HEAD),
  };
}

const ORIGIN: Point = { x: 0, y: 0 };

/** A curve that is vertical at both ends. */
function curve(from: Point, to: Point): string {
  if (from.x === to.x) return `L${to.x} ${to.y}`;
  const middle = Math.round((from.y + to.y) / 2);
  return `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
}

function head({ x, y }: Point, away: number): string {
  return `M${x} ${y}L${x - 4} ${y + away}L${x + 4} ${y + away}Z`;
}

/** The route of an edge from a node to itself, on the node's right; `beside` is where its label starts. */
export function loopRoute(
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  at: number,
  count: number,
): Route & { readonly beside: Point } {
  const x = box.x + box.width;
  const y = Math.round(box.y + box.height / 2 + (at - (count - 1) / 2) * LOOP_HEIGHT);
  const far = x + LOOP_REACH;
  return {
    path: `M${x} ${y - 6}C${far} ${y - 10} ${far} ${y + 10} ${x + HEAD} ${y + 6}`,
    arrow: `M${x} ${y + 6}L${x + HEAD} ${y + 2}L${x + HEAD} ${y + 10}Z`,
    beside: { x: x + LOOP_REACH, y },
  };
}
