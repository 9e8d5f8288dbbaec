/** Checks a graph without a session: errors, warnings, and a drawing if possible. */

import {
  type Condition,
  type GraphReport,
  type JsonObject,
  ProtocolError,
  type Target,
  type Vocabulary,
} from 'parley-hub/core';
import { drawGraph } from './draw-graph.ts';
import { graphWarnings } from './graph-warnings.ts';
import { namesIn } from './resolve-graph.ts';
import { parseGraph, type TransitionGraph } from './transition-graph.ts';
import { BUILT_IN } from './vocabulary.ts';

const FIELD = 'graph';
type Problems = GraphReport['errors'];

/** Does not check participants: a graph may be written before they are chosen. */
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

/** Reports errors of the graph; any other error is a defect and is rethrown. */
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

/** Custom parts of a hub, in addition to the built-in ones. */
export interface CustomRuleParts {
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
}

/** Throws a ProtocolError that names the rule, the problem and the valid names. */
export function checkGraph(graph: TransitionGraph, { conditions = [], targets = [] }: CustomRuleParts = {}): void {
  const known = {
    conditions: new Map([...BUILT_IN.conditions, ...conditions.map((one) => [one.name, one] as const)]),
    targets: new Map([...BUILT_IN.targets, ...targets.map((one) => [one.name, one] as const)]),
  };
  namesIn(graph, known, 'graph');
}
