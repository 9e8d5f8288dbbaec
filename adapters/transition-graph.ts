/** Transition graphs, as a workflow takes them in `knobs.graph`: made, checked, drawn, and what their rules are made of. */

export type { OwnParts } from './graph/check-graph.ts';
export { checkGraph } from './graph/check-graph.ts';
export { CONDITIONS } from './graph/conditions.ts';
export type { RoundRobinOptions } from './graph/factories.ts';
export { roundRobin, sequence } from './graph/factories.ts';
export { graphWarnings } from './graph/graph-warnings.ts';
export type { MermaidOptions } from './graph/mermaid.ts';
export { graphToMermaid } from './graph/mermaid.ts';
export { parseGraph } from './graph/parse-graph.ts';
export { TARGETS } from './graph/targets.ts';
export type { Transition, TransitionGraph } from './graph/transition-graph.ts';
