// The way of a session through its graph, as a drawing tells it: who has the turn and has no node, steps that no rule says, and the end.

import type { JsonObject } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { inspectGraph } from '../../../adapters/graph/inspect-graph.ts';
import { BUILT_IN } from '../../../adapters/graph/vocabulary.ts';
import { type DrawnGraph, readGraph } from '../../../src/console/parts/graph/drawn-graph.ts';
import { graphSummary, transitionTexts } from '../../../src/console/parts/graph/graph-text.ts';
import { type PathTaken, pathTaken, type Way } from '../../../src/console/parts/graph/path-taken.ts';

const NAMES = { ag_ada: 'ada', ag_ken: 'ken', ag_grace: 'grace', ag_dan: 'dan' };
const [ADA, KEN, GRACE, DAN] = ['ag_ada', 'ag_ken', 'ag_grace', 'ag_dan'] as const;

const from = (agent_id: string) => ({ name: 'from_speaker', args: { agent_id } });
const to = (agent_id: string) => ({ name: 'agent', args: { agent_id } });
const ending = (reason: string) => ({ name: 'terminate', args: { reason } });
const says = (text: string) => ({ name: 'text_contains', args: { any: [text] } });

function drawn(graph: JsonObject): DrawnGraph {
  const report = inspectGraph({ initial_speaker: ADA, ...graph }, BUILT_IN);
  expect(report.errors).toEqual([]);
  return readGraph(report, NAMES);
}

function taken(graph: DrawnGraph, way: Partial<Way>): PathTaken {
  return pathTaken(graph, { path: [], current: null, end: null, isWhole: true, hasGaps: false, ...way }, NAMES);
}

/** The nodes by what is written on them. */
function labelled({ graph }: PathTaken, id: string | null): string | undefined {
  return graph.nodes.find((node) => node.id === id)?.label;
}

function visitsOf(way: PathTaken): readonly (readonly [string | undefined, readonly number[]])[] {
  return [...way.visits].map(([id, turns]) => [labelled(way, id), turns]);
}

const marked = (way: PathTaken) => transitionTexts(way).filter((words) => words.includes('taken'));

describe('who has no node of its own', () => {
  const graph = drawn({
    transitions: [{ when: from(ADA), then: { name: 'round_robin', args: {} } }],
    default_target: to(ADA),
  });

  it('[UI42] lights the node that stands for it, and its turns are counted there', () => {
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

  it('[UI42] one after another, by a rule of whoever speaks', () => {
    const all = drawn({ default_target: { name: 'round_robin', args: {} } });
    const way = taken(all, { path: [ADA, KEN, GRACE], current: ADA });
    expect(labelled(way, way.lit)).toBe('ada');
    expect(visitsOf(way)).toEqual([
      ['ada', [1]],
      ['the next in order', [2, 3]],
    ]);
    expect(marked(way)).toEqual(['whoever speaks \u2192 the next in order (taken after turns 1, 2 and 3)']);
  });

  it('[UI42] who goes on by a rule of whoever speaks has taken its edge', () => {
    const way = taken(drawn({ default_target: { name: 'stay', args: {} } }), { path: [ADA, ADA], current: ADA });
    expect(marked(way)).toEqual(['whoever speaks again (taken after turns 1 and 2)']);
  });
});

describe('a step that no rule says', () => {
  const graph = drawn({ transitions: [{ when: from(ADA), then: to(KEN) }], default_target: to(ADA) });

  it('[UI42] is an edge of its own, to a node of its own for whom no rule names', () => {
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

  it('[UI42] and the graph itself is as it was where there was none', () => {
    expect(taken(graph, { path: [ADA, KEN], current: ADA }).graph).toEqual(graph);
    expect(taken(graph, {}).graph).toEqual(graph);
  });

  it('[UI42] is not made up while a part of the way is not known', () => {
    const way = taken(graph, { path: [ADA], current: DAN, isWhole: false });
    expect(labelled(way, way.lit)).toBe('dan');
    expect(marked(way)).toEqual([]);
  });
});

describe('a way with turns that are not for whoever looks', () => {
  it('[UI42] has no steps that nobody took', () => {
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
      { when: { name: 'all_of', args: { conditions: [from(KEN), says('OK')] } }, then: ending('published') },
      { when: from(KEN), then: to(ADA) },
    ],
    default_target: ending('lost'),
  });

  it('[UI42] is marked before who has the turn has spoken', () => {
    const way = taken(graph, { path: [ADA], current: KEN });
    expect(marked(way)).toEqual(['ada \u2192 ken (taken after turn 1)']);
    expect(way.visits.size).toBe(1);
  });

  it('[UI42] to the end that was reached is marked, and the end with it', () => {
    const way = taken(graph, { path: [ADA, KEN], end: 'published' });
    expect(labelled(way, way.reached)).toBe('end: published');
    expect(way.lit).toBe(null);
    expect(marked(way)).toEqual([
      'ada \u2192 ken (taken after turn 1)',
      'ken \u2192 end: published: says "OK" (taken after turn 2)',
    ]);
    expect(graphSummary(way, NAMES)).toMatch(/The session ended at end: published\.$/);
  });

  it('[UI42] an end that the graph does not say is none of it', () => {
    const way = taken(graph, { path: [ADA, KEN], end: 'an operator closed it' });
    expect(way.reached).toBe(null);
    expect(way.graph).toEqual(graph);
    expect(marked(way)).toEqual(['ada \u2192 ken (taken after turn 1)']);
  });

  it('[UI42] an end by whoever speaks is marked too, also for whom no rule names', () => {
    const way = taken(graph, { path: [ADA, DAN], end: 'lost' });
    expect(labelled(way, way.reached)).toBe('end: lost');
    expect(marked(way)).toEqual([
      'whoever speaks \u2192 end: lost: otherwise (taken after turn 2)',
      'ada \u2192 dan: handoff without a rule (taken after turn 1)',
    ]);
  });
});
