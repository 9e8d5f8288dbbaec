// The layout of a graph: no overlaps, every edge drawn, deterministic, whatever the labels.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DrawnGraph, readGraph } from '../../../src/console/parts/graph/drawn-graph.ts';
import { graphSummary, transitionTexts } from '../../../src/console/parts/graph/graph-text.ts';
import { type Box, isDrawable, type Layout, layoutOf } from '../../../src/console/parts/graph/layout.ts';
import { pathTaken, shortTurnNumbers, turnNumbersText } from '../../../src/console/parts/graph/path-taken.ts';
import { fittingText } from '../../../src/console/text/fitting-text.ts';

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  'a'.repeat(100_000),
  '\u202eevil\u202c',
  '\u0000\u0007\n\r\t',
  '🧑‍🚀'.repeat(400),
  `Z${'\u0301'.repeat(5000)}`,
  '漢字'.repeat(80),
  '\ud800',
  '__proto__',
  '',
];

const label = fc.oneof(
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom(...HOSTILE),
  fc.constant('says "ok"'),
);

function graphs(most: number): fc.Arbitrary<DrawnGraph> {
  return fc.integer({ min: 1, max: most }).chain((count) => {
    const id = fc.integer({ min: 0, max: count - 1 }).map((n) => `n${n}`);
    return fc.record({
      nodes: fc.array(label, { minLength: count, maxLength: count }).map((labels) =>
        labels.map((text, i) => ({
          id: `n${i}`,
          label: text,
          kind: i % 5 === 4 ? ('end' as const) : ('speaker' as const),
          agent: i % 5 === 4 ? null : text,
        })),
      ),
      edges: fc.array(fc.record({ from: id, to: id, label }), { maxLength: count * 3 }),
      initial: fc.option(id),
    });
  });
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function pairsOnTop(boxes: readonly Box[]): number {
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => overlaps(a, b))).length;
}

function boxesOf({ nodes, edges }: Layout): readonly Box[] {
  return [...nodes, ...edges.flatMap(({ label }) => (label === null ? [] : [label]))];
}

/** The start and end of a path. */
function endsOf(path: string): readonly [number, number, number, number] {
  const numbers = [...path.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers.at(-2) ?? 0, numbers.at(-1) ?? 0];
}

function isAt(box: Box, x: number, y: number): boolean {
  const near = 9;
  return x >= box.x - near && x <= box.x + box.width + near && y >= box.y - near && y <= box.y + box.height + near;
}

/** Points along a path of M, L and C. */
function pointsOn(path: string): readonly (readonly [number, number])[] {
  const steps = [...path.matchAll(/([MLC])([^MLC]*)/g)].map(([, , numbers = '']) =>
    numbers.trim().split(' ').map(Number),
  );
  const points: (readonly [number, number])[] = [];
  let [x0 = 0, y0 = 0] = steps[0] ?? [];
  for (const numbers of steps.slice(1)) {
    const [x3 = 0, y3 = 0] = numbers.slice(-2);
    const [x1 = x0, y1 = y0, x2 = x3, y2 = y3] = numbers.length === 6 ? numbers : [];
    for (let t = 0; t <= 1; t += 0.05) {
      const at = (a: number, b: number, c: number, d: number) =>
        (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
      points.push([at(x0, x1, x2, x3), at(y0, y1, y2, y3)]);
    }
    [x0, y0] = [x3, y3];
  }
  return points;
}

function isWithin({ x, y, width, height }: Box, px: number, py: number): boolean {
  return px > x + 1 && px < x + width - 1 && py > y + 1 && py < y + height - 1;
}

function forLayouts(most: number, numRuns: number, check: (layout: Layout, graph: DrawnGraph) => void): void {
  fc.assert(
    fc.property(graphs(most), (graph) => {
      check(layoutOf(graph), graph);
    }),
    { numRuns },
  );
}

describe('the layout of a graph', () => {
  it('[UI40] puts no node or label on top of another, within its bounds', () => {
    forLayouts(24, 150, (layout) => {
      const boxes = boxesOf(layout);
      expect(pairsOnTop(boxes)).toBe(0);
      for (const { x, y, width, height } of boxes) {
        expect(x >= 0 && y >= 0 && x + width <= layout.width && y + height <= layout.height).toBe(true);
      }
    });
  }, 60_000);

  it('[UI40] draws every edge between its two nodes, with the arrow at its target', () => {
    forLayouts(16, 100, ({ nodes, edges }, graph) => {
      expect(edges.map(({ edge }) => edge)).toEqual([...graph.edges.keys()]);
      for (const { edge, path, arrow } of edges) {
        const { from = '', to = '' } = graph.edges[edge] ?? {};
        const box = (id: string) => nodes.find(({ node }) => node.id === id) as Box;
        const [x1, y1, x2, y2] = endsOf(path);
        const isDown = isAt(box(from), x1, y1) && isAt(box(to), x2, y2);
        const isUp = isAt(box(to), x1, y1) && isAt(box(from), x2, y2);
        expect(isDown || isUp).toBe(true);
        const [tipX, tipY] = endsOf(arrow);
        expect(isAt(box(to), tipX, tipY)).toBe(true);
        expect(`${path}${arrow}`).toMatch(/^[MLCZ0-9 .-]+$/);
      }
    });
  }, 60_000);

  it('[UI40] leads no line through a node or the label of another edge', () => {
    forLayouts(14, 100, ({ nodes, edges }, graph) => {
      for (const { edge, path } of edges) {
        const { from, to } = graph.edges[edge] ?? {};
        const others = [
          ...nodes.filter(({ node }) => node.id !== from && node.id !== to),
          ...edges.flatMap((other) => (other.edge === edge || other.label === null ? [] : [other.label])),
        ];
        const hit = pointsOn(path).find(([x, y]) => others.some((box) => isWithin(box, x, y)));
        expect(hit).toBeUndefined();
      }
    });
  }, 60_000);

  it('[UI40] is the same for the same graph', () => {
    forLayouts(12, 50, (layout, graph) => expect(layoutOf(structuredClone(graph))).toEqual(layout));
  });

  it('[UI40] fits sixty nodes with every kind of edge, and separates parallel edges', () => {
    const nodes = Array.from({ length: 60 }, (_, i) => `agent-${i}`);
    const ahead = nodes.slice(1).map((to, i) => ({ from: `agent-${i}`, to, label: `step ${i}` }));
    const back = nodes.slice(1).map((from, i) => ({ from, to: `agent-${Math.floor(i / 2)}`, label: 'again' }));
    const twice = { from: 'agent-3', to: 'agent-9', label: 'twice' };
    const own = { from: 'agent-5', to: 'agent-5', label: 'goes on' };
    const graph = readGraph({ nodes, edges: [...ahead, ...back, twice, twice, own, own], initial: 'agent-0' });
    const layout = layoutOf(graph);
    expect(isDrawable(graph)).toBe(true);
    expect(pairsOnTop(boxesOf(layout))).toBe(0);
    const paths = layout.edges.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(layout.nodes[0]?.isInitial).toBe(true);
    expect(layout.nodes[0]?.y).toBe(Math.min(...layout.nodes.map(({ y }) => y)));
  });

  it('[UI40] is empty for an empty graph', () => {
    expect(layoutOf(readGraph(null))).toMatchObject({ nodes: [], edges: [] });
  });
});

describe('texts of a drawing', () => {
  it('[UI41] stay visible and fit their place, even if hostile', () => {
    fc.assert(
      fc.property(label, fc.integer({ min: 4, max: 40 }), (given, most) => {
        const { text, units, isCut } = fittingText(given, most);
        expect(units).toBeLessThanOrEqual(most);
        expect(text).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect([...text].length).toBeLessThanOrEqual(most * 3);
        if (isCut) expect(text.endsWith('\u2026')).toBe(true);
      }),
    );
    expect(fittingText('plain words', 22)).toEqual({ text: 'plain words', isCut: false, units: 11 });
  });

  it('[UI40] turn an unlisted end of an edge into a node, and no answer into an empty graph', () => {
    const nodes = ['ag_9', 7, { id: 'n0', kind: 'agent', agent: 'ag_1', label: 'ag_1' }, { id: 'n1', kind: 'end' }];
    const edges = [{ from: 'n0', to: 'x' }, 'no', { from: 1 }];
    expect(readGraph({ nodes, edges, initial: 'n0' }, { ag_1: 'alice' })).toEqual({
      nodes: [
        { id: 'ag_9', label: 'ag_9', kind: 'speaker', agent: 'ag_9' },
        { id: 'n0', label: 'alice', kind: 'speaker', agent: 'ag_1' },
        { id: 'n1', label: 'n1', kind: 'end', agent: null },
        { id: 'x', label: 'x', kind: 'speaker', agent: 'x' },
      ],
      edges: [{ from: 'n0', to: 'x', label: '' }],
      initial: 'n0',
    });
    expect(readGraph('none')).toEqual({ nodes: [], edges: [], initial: null });
  });
});

describe('the path through a graph', () => {
  const graph = readGraph({
    nodes: [
      { id: 'any', kind: 'anyone' },
      { id: 'a', kind: 'agent', agent: 'ag_a' },
      { id: 'b', kind: 'agent', agent: 'bob' },
      { id: 'c', kind: 'agent', agent: 'ag_c' },
    ],
    edges: [
      { from: 'a', to: 'b', label: 'one' },
      { from: 'a', to: 'b', label: 'other' },
      { from: 'b', to: 'a', label: '' },
      { from: 'any', to: 'c', label: '' },
    ],
    initial: 'a',
  });

  it('[UI42] has the turns of each node and edge, and marks uncertain ones', () => {
    const path = ['ag_a', 'ag_b', 'ag_a', 'ag_c'];
    const taken = pathTaken(
      graph,
      { path, current: 'ag_b', end: null, isWhole: false, hasGaps: false },
      { ag_b: 'bob' },
    );
    const { visits, edges } = taken;
    expect([...visits]).toEqual([
      ['a', [1, 3]],
      ['b', [2]],
      ['c', [4]],
    ]);
    expect([...edges]).toEqual([
      [0, { after: [1], isCertain: false }],
      [1, { after: [1], isCertain: false }],
      [2, { after: [2], isCertain: true }],
      [3, { after: [3], isCertain: true }],
    ]);
    expect(transitionTexts(taken)).toEqual([
      'ag_a \u2192 bob: one (possibly taken after turn 1)',
      'ag_a \u2192 bob: other (possibly taken after turn 1)',
      'bob \u2192 ag_a (taken after turn 2)',
      'any \u2192 ag_c (taken after turn 3)',
    ]);
    expect(graphSummary(taken, {})).toBe('Workflow with 4 nodes and 4 transitions. ag_a begins. bob has the turn.');
  });

  it('[UI42] lists its turns in short and in words', () => {
    expect(shortTurnNumbers([1, 4, 7])).toBe('1 4 7');
    expect(shortTurnNumbers([1, 4, 7, 41])).toBe('1 \u2026 41');
    expect(turnNumbersText([3])).toBe('turn 3');
    expect(turnNumbersText([1, 4, 7])).toBe('turns 1, 4 and 7');
    expect(turnNumbersText([1, 2, 3, 4, 5, 6, 7])).toBe('7 turns, the last 7');
  });
});
