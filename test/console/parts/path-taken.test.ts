// The path of a session through its graph: turn holders without a node, steps without a rule, and the end.

import type { JsonObject } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { inspectGraph } from '../../../adapters/graph/inspect-graph.ts';
import { BUILT_IN } from '../../../adapters/graph/vocabulary.ts';
import { type DrawnGraph, readGraph } from '../../../src/console/parts/graph/drawn-graph.ts';
import { graphSummary, transitionTexts } from '../../../src/console/parts/graph/graph-text.ts';
import { type PathTaken, pathTaken, type Way } from '../../../src/console/parts/graph/path-taken.ts';
import { allOf, ending, from, says, target, to } from './rules.ts';

const NAMES = { ag_ada: 'ada', ag_ken: 'ken', ag_grace: 'grace', ag_dan: 'dan' };
const [ADA, KEN, GRACE, DAN] = ['ag_ada', 'ag_ken', 'ag_grace', 'ag_dan'] as const;

function drawn(graph: JsonObject): DrawnGraph {
  const report = inspectGraph({ initial_speaker: ADA, ...graph }, BUILT_IN);
  expect(report.errors).toEqual([]);
  return readGraph(report, NAMES);
}

function taken(graph: DrawnGraph, way: Partial<Way>): PathTaken {
  return pathTaken(graph, { path: [], current: null, end: null, isWhole: true, hasGaps: false, ...way }, NAMES);
}

/** The label of a node. */
function labelled({ graph }: PathTaken, id: string | null): string | undefined {
  return graph.nodes.find((node) => node.id === id)?.label;
}

function visitsOf(way: PathTaken): readonly (readonly [string | undefined, readonly number[]])[] {
  return [...way.visits].map(([id, turns]) => [labelled(way, id), turns]);
}

const marked = (way: PathTaken) => transitionTexts(way).filter((words) => words.includes('taken'));

describe('a participant without a node', () => {
  const graph = drawn({ transitions: [{ when: from(ADA), then: target('round_robin') }], default_target: to(ADA) });

  it('[UI42] highlights the rule node that stands for it, and counts its turns there', () => {
    const way = taken(graph, { path: [ADA, GRACE, ADA], current: KEN });
    expect(labelled(way, way.lit)).toBe('the next in order');
    expect(visitsOf(way)).toEqual([
      ['ada', [1, 3]],
      ['the next in order', [2]],
    ]);
    expect([...way.stoodFor.values()]).toEqual([[GRACE, KEN]]);
    expect(marked(way)).toContain('ada \u2192 the next in order (taken after turns 1 and 3)');
    expect(graphSummary(way, NAMES)).toMatch(/ada begins\. ken \(the next in order\) has the turn\.$/);
  });

  it('[UI42] follows a rule for any speaker', () => {
    const all = drawn({ default_target: target('round_robin') });
    const way = taken(all, { path: [ADA, KEN, GRACE], current: ADA });
    expect(labelled(way, way.lit)).toBe('ada');
    expect(visitsOf(way)).toEqual([
      ['ada', [1]],
      ['the next in order', [2, 3]],
    ]);
    expect(marked(way)).toEqual(['whoever speaks \u2192 the next in order (taken after turns 1, 2 and 3)']);
  });

  it('[UI42] takes the edge of a rule for any speaker that keeps the turn', () => {
    const way = taken(drawn({ default_target: target('stay') }), { path: [ADA, ADA], current: ADA });
    expect(marked(way)).toEqual(['whoever speaks again (taken after turns 1 and 2)']);
  });
});

describe('a step without a rule', () => {
  const graph = drawn({ transitions: [{ when: from(ADA), then: to(KEN) }], default_target: to(ADA) });

  it('[UI42] adds an edge, and a node for a participant outside the rules', () => {
    const way = taken(graph, { path: [ADA, DAN, ADA, KEN], current: DAN });
    expect(labelled(way, way.lit)).toBe('dan');
    expect(way.graph.nodes.at(-1)).toMatchObject({ kind: 'stranger', agent: DAN });
    expect(visitsOf(way)).toContainEqual(['dan', [2]]);
    expect(marked(way)).toEqual([
      'ada \u2192 ken (taken after turn 3)',
      'whoever speaks \u2192 ada: otherwise (taken after turn 2)',
      'ada \u2192 dan: handoff without a rule (taken after turn 1)',
      'ken \u2192 dan: handoff without a rule (taken after turn 4)',
    ]);
    expect(graphSummary(way, NAMES)).toBe(
      'Workflow with 5 nodes and 3 transitions. ada begins. 2 steps without a rule. dan has the turn.',
    );
  });

  it('[UI42] leaves the graph unchanged if there is none', () => {
    expect(taken(graph, { path: [ADA, KEN], current: ADA }).graph).toEqual(graph);
    expect(taken(graph, {}).graph).toEqual(graph);
  });

  it('[UI42] is not drawn while the end of the path is unknown', () => {
    const way = taken(graph, { path: [ADA], current: DAN, isWhole: false });
    expect(labelled(way, way.lit)).toBe('dan');
    expect(marked(way)).toEqual([]);
  });
});

describe('a path with hidden turns', () => {
  it('[UI42] contains no invented steps', () => {
    const graph = drawn({ transitions: [{ when: from(ADA), then: to(KEN) }], default_target: ending('lost') });
    const way = taken(graph, { path: [ADA, KEN, DAN], current: ADA, isWhole: false, hasGaps: true });
    expect(marked(way)).toEqual(['ada \u2192 ken (taken after turn 1)']);
    expect(visitsOf(way)).toContainEqual(['dan', [3]]);
  });
});

describe('the newest step', () => {
  const graph = drawn({
    transitions: [
      { when: from(ADA), then: to(KEN) },
      { when: allOf(from(KEN), says('OK')), then: ending('published') },
      { when: from(KEN), then: to(ADA) },
    ],
    default_target: ending('lost'),
  });

  it('[UI42] is marked before the turn holder speaks', () => {
    const way = taken(graph, { path: [ADA], current: KEN });
    expect(marked(way)).toEqual(['ada \u2192 ken (taken after turn 1)']);
    expect(way.visits.size).toBe(1);
  });

  it('[UI42] to a reached end is marked, with the end', () => {
    const way = taken(graph, { path: [ADA, KEN], end: 'published' });
    expect(labelled(way, way.reached)).toBe('end: published');
    expect(way.lit).toBe(null);
    expect(marked(way)).toEqual([
      'ada \u2192 ken (taken after turn 1)',
      'ken \u2192 end: published: says "OK" (taken after turn 2)',
    ]);
    expect(graphSummary(way, NAMES)).toMatch(/The session ended at end: published\.$/);
  });

  it('[UI42] ignores an end outside the graph', () => {
    const way = taken(graph, { path: [ADA, KEN], end: 'an operator closed it' });
    expect(way.reached).toBe(null);
    expect(way.graph).toEqual(graph);
    expect(marked(way)).toEqual(['ada \u2192 ken (taken after turn 1)']);
  });

  it('[UI42] marks an end by any speaker, even one outside the rules', () => {
    const way = taken(graph, { path: [ADA, DAN], end: 'lost' });
    expect(labelled(way, way.reached)).toBe('end: lost');
    expect(marked(way)).toEqual([
      'whoever speaks \u2192 end: lost: otherwise (taken after turn 2)',
      'ada \u2192 dan: handoff without a rule (taken after turn 1)',
    ]);
  });
});
