/** A graph as it is drawn: nodes and edges with words. What a hub answers is read here, whatever it is. */

/** `rule`: nobody in particular, such as "the next in order"; `anyone`: whoever speaks; `stranger`: whom no rule names. */
export type NodeKind = 'start' | 'speaker' | 'anyone' | 'rule' | 'end' | 'stranger';

export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly kind: NodeKind;
  /** Whom it stands for: an id or a name, as the graph says it. */
  readonly agent: string | null;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** The session went there, and no rule says so. */
  readonly isExtra?: true;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly initial: string | null;
}

export const NO_GRAPH: DrawnGraph = { nodes: [], edges: [], initial: null };

/** Names by agent id; an id without a name is written as it is. */
export type Names = Readonly<Record<string, string>>;

export function nameIn(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) || id;
}

/** What `check_graph` answers, or a part of it. An end of an edge that is not among the nodes becomes one. */
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

/** The node of a participant, named by its id or by its name; null = the graph says nothing of it. */
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
