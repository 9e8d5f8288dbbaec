/** A graph that somebody is still writing: what is wrong with it first, what it probably does not mean, and a drawing as far as there is one. */

import { type GraphReport, type JsonObject, ProtocolError, type Vocabulary } from 'parley-hub/core';
import { drawGraph } from './draw-graph.ts';
import { graphWarnings } from './graph-warnings.ts';
import { parseGraph } from './parse-graph.ts';
import { namesIn } from './resolve-graph.ts';
import type { TransitionGraph } from './transition-graph.ts';

const FIELD = 'graph';
type Problems = GraphReport['errors'];

/** Who takes part is not looked at: it may be written before they are chosen. */
export function inspectGraph(given: JsonObject, vocabulary: Vocabulary): GraphReport {
  let graph: TransitionGraph | null = null;
  const unread = problemOf(() => {
    graph = parseGraph(given, FIELD);
  });
  if (graph === null) return { ok: false, errors: unread, warnings: [], nodes: [], edges: [], initial: null };
  return inspected(graph, vocabulary);
}

function inspected(graph: TransitionGraph, vocabulary: Vocabulary): GraphReport {
  const errors = problemOf(() => void namesIn(graph, vocabulary, FIELD));
  const warnings = errors.length === 0 ? graphWarnings(graph, vocabulary, FIELD) : [];
  let drawn: Pick<GraphReport, 'nodes' | 'edges' | 'initial'> = { nodes: [], edges: [], initial: null };
  const undrawn = problemOf(() => {
    drawn = drawGraph(graph);
  });
  const all = errors.length === 0 ? undrawn : errors;
  return { ok: all.length === 0, errors: all, warnings, ...drawn };
}

/** What the graph is to blame for; whatever else is thrown is a defect, and told as one. */
function problemOf(work: () => void): Problems {
  try {
    work();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const field = thrown.details?.field;
    return [{ field: typeof field === 'string' ? field : FIELD, message: thrown.message }];
  }
}
