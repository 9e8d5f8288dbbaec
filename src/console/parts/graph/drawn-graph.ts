/** A graph as it is drawn: nodes and edges with words. What a hub answers is read here, whatever it is. */

/** `end`: the session ends there. `rule`: no speaker of its own, such as "whoever speaks" or "the next in order". */
export type NodeKind = 'speaker' | 'end' | 'rule';

export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly kind: NodeKind;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly initial: string | null;
}

export const NO_GRAPH: DrawnGraph = { nodes: [], edges: [], initial: null };

/** What to write for an id; the id itself unless it is here. */
export type Names = Readonly<Record<string, string>>;

export function nameIn(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) || id;
}

/** `answer`: nodes as texts or as {id, label, kind}. An end of an edge that is not among the nodes becomes one. */
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

function readNode(value: unknown, names: Names): readonly DrawnNode[] {
  if (typeof value === 'string') return [{ id: value, label: nameIn(names, value), kind: kindOf(undefined, value) }];
  const { id, label, name, kind } = membersOf(value);
  if (typeof id !== 'string') return [];
  const given = [names[id], label, name].find((one) => typeof one === 'string' && one !== '');
  return [{ id, label: typeof given === 'string' ? given : id, kind: kindOf(kind, id) }];
}

const ENDS = /^(?:end|terminate)(?:$|[\s:])/;

function kindOf(kind: unknown, id: string): NodeKind {
  if (kind === 'speaker' || kind === 'agent' || kind === 'participant') return 'speaker';
  if (kind === 'end' || kind === 'terminate') return 'end';
  if (typeof kind === 'string') return 'rule';
  return ENDS.test(id) ? 'end' : 'speaker';
}

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
