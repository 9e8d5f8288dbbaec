/** Transition graphs for `knobs.graph`: build, check and draw them. */

export { CONDITIONS } from './graph/conditions.ts';
export type { MermaidOptions } from './graph/draw-graph.ts';
export { graphToMermaid } from './graph/draw-graph.ts';
export type { RoundRobinOptions } from './graph/factories.ts';
export { roundRobin, sequence } from './graph/factories.ts';
export { graphWarnings } from './graph/graph-warnings.ts';
export type { CustomRuleParts, CustomRuleParts as OwnParts } from './graph/inspect-graph.ts';
export { checkGraph } from './graph/inspect-graph.ts';
export { TARGETS } from './graph/targets.ts';
export type { Transition, TransitionGraph } from './graph/transition-graph.ts';
export { parseGraph } from './graph/transition-graph.ts';
