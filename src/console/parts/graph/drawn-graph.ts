/** Reads any hub's answer into a graph to draw: nodes and edges with labels. */

import { getOwn, isRecord, recordsFrom, textOr, type UnknownRecord } from '../../lib/unknown-record.ts';

/** `rule`: chosen by a rule ("the next in order"); `anyone`: any speaker; `stranger`: a participant not in the rules. */
type NodeKind = 'start' | 'speaker' | 'anyone' | 'rule' | 'end' | 'stranger';

export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly kind: NodeKind;
  /** The participant's id or name, as the graph gives it. */
  readonly agent: string | null;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** True for a step that the session took without a rule. */
  readonly isExtra?: true;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly initial: string | null;
}

/** Names by agent id; an id without a name is shown as it is. */
export type Names = Readonly<Record<string, string>>;

export function nameIn(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) || id;
}

/** Reads the answer of `check_graph`. An edge end that is not listed as a node becomes one. */
export function readGraph(answer: unknown, names: Names = {}): DrawnGraph {
  const [nodes, initial] = [getOwn(answer, 'nodes'), getOwn(answer, 'initial')];
  const read = recordsFrom(getOwn(answer, 'edges')).flatMap(readEdge);
  const first = typeof initial === 'string' ? initial : null;
  const found = new Map<string, DrawnNode>();
  const mentioned = [...(first === null ? [] : [first]), ...read.flatMap(({ from, to }) => [from, to])];
  for (const node of [...(Array.isArray(nodes) ? nodes : []), ...mentioned].flatMap((one) => readNode(one, names))) {
    if (!found.has(node.id)) found.set(node.id, node);
  }
  return { nodes: [...found.values()], edges: read, initial: first };
}

/** The node of a participant, found by id or name; null if it is not in the graph. */
export function nodeOf({ nodes }: DrawnGraph, agentId: string, names: Names = {}): string | null {
  const name = nameIn(names, agentId);
  const found = nodes.find(({ agent }) => agent === agentId) ?? nodes.find(({ agent }) => agent === name);
  return found?.id ?? null;
}

function readNode(value: unknown, names: Names): readonly DrawnNode[] {
  if (typeof value === 'string') return [{ id: value, label: nameIn(names, value), kind: 'speaker', agent: value }];
  const { id, label, kind, agent: given } = isRecord(value) ? value : ({} as UnknownRecord);
  if (typeof id !== 'string') return [];
  const agent = typeof given === 'string' ? given : null;
  const name = agent !== null && Object.hasOwn(names, agent) ? names[agent] : undefined;
  return [{ id, label: name || textOr(label, agent ?? id), kind: KINDS.get(kind) ?? 'rule', agent }];
}

const KINDS: ReadonlyMap<unknown, NodeKind> = new Map([
  ['start', 'start'],
  ['agent', 'speaker'],
  ['anyone', 'anyone'],
  ['target', 'rule'],
  ['end', 'end'],
]);

function readEdge({ from, to, label }: UnknownRecord): readonly DrawnEdge[] {
  return typeof from === 'string' && typeof to === 'string' ? [{ from, to, label: textOr(label, '') }] : [];
}
