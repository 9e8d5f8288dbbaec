/** A graph to draw: nodes and edges with labels, read from any answer of a hub. */

/** `rule`: chosen by a rule ("the next in order"); `anyone`: any speaker; `stranger`: a participant outside the rules. */
export type NodeKind = 'start' | 'speaker' | 'anyone' | 'rule' | 'end' | 'stranger';

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
  /** The session took this step without a rule. */
  readonly isExtra?: true;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly initial: string | null;
}

export const NO_GRAPH: DrawnGraph = { nodes: [], edges: [], initial: null };

/** Names by agent id; an id without a name is shown itself. */
export type Names = Readonly<Record<string, string>>;

export function nameIn(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) || id;
}

/** Reads the answer of `check_graph`. An unlisted end of an edge becomes a node. */
export function readGraph(answer: unknown, names: Names = {}): DrawnGraph {
  const { nodes, edges, initial } = membersOf(answer);
  const read = listOf(edges).flatMap(readEdge);
  const first = typeof initial === 'string' ? initial : null;
  const found = new Map<string, DrawnNode>();
  const mentioned = [...(first === null ? [] : [first]), ...read.flatMap(({ from, to }) => [from, to])];
  for (const node of [...listOf(nodes), ...mentioned].flatMap((one) => readNode(one, names))) {
    if (!found.has(node.id)) found.set(node.id, node);
  }
  return { nodes: [...found.values()], edges: read, initial: first };
}

/** The node of a participant, found by id or name; null = not in the graph. */
export function nodeOf({ nodes }: DrawnGraph, agentId: string, names: Names = {}): string | null {
  const name = nameIn(names, agentId);
  const found = nodes.find(({ agent }) => agent === agentId) ?? nodes.find(({ agent }) => agent === name);
  return found?.id ?? null;
}

function readNode(value: unknown, names: Names): readonly DrawnNode[] {
  if (typeof value === 'string') return [{ id: value, label: nameIn(names, value), kind: 'speaker', agent: value }];
  const { id, label, kind, agent } = membersOf(value);
  if (typeof id !== 'string') return [];
  const stands = typeof agent === 'string' ? agent : null;
  const known = stands !== null && Object.hasOwn(names, stands) ? names[stands] : undefined;
  const words = known || (typeof label === 'string' && label !== '' ? label : (stands ?? id));
  return [{ id, label: words, kind: KINDS.get(kind) ?? 'rule', agent: stands }];
}

const KINDS: ReadonlyMap<unknown, NodeKind> = new Map([
  ['start', 'start'],
  ['agent', 'speaker'],
  ['anyone', 'anyone'],
  ['target', 'rule'],
  ['end', 'end'],
]);

function readEdge(value: unknown): readonly DrawnEdge[] {
  const { from, to, label } = membersOf(value);
  if (typeof from !== 'string' || typeof to !== 'string') return [];
  return [{ from, to, label: typeof label === 'string' ? label : '' }];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
