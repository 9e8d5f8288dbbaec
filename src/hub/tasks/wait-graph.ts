/** Tracks which agent waits for which in each session tree, so that no agent ends up waiting for itself. */

import type { DelegationOpened } from '../../core/records/work/delegation.ts';

/** One delegation: `from` waits for `to`. */
export interface WaitEdge {
  readonly id: string;
  readonly root: string;
  readonly from: string;
  readonly to: string;
}

/** `decided` settles when a staged edge is durable or dropped; null if the edge is durable. */
interface Held extends WaitEdge {
  readonly decided: Promise<void> | null;
}

export class WaitGraph {
  /** Edges by root session, then by delegation. */
  private readonly trees = new Map<string, Map<string, Held>>();
  private readonly roots = new Map<string, string>();

  /** Adds a durable edge. */
  add(edge: WaitEdge): void {
    this.put({ ...edge, decided: null });
  }

  /** Adds a staged edge, which may still be dropped. */
  stage(edge: WaitEdge, decided: Promise<void>): void {
    this.put({ ...edge, decided });
  }

  remove(id: string): void {
    const root = this.roots.get(id);
    if (root === undefined) return;
    const tree = this.trees.get(root);
    tree?.delete(id);
    if (tree?.size === 0) this.trees.delete(root);
    this.roots.delete(id);
  }

  /** The cycle this edge would close, from `from` over `to` back to `from`, or null. `undecided`: it depends on a staged edge. */
  cycle({ root, from, to, id }: WaitEdge): { agents: readonly string[]; undecided: Promise<void> | null } | null {
    const edges = [...(this.trees.get(root)?.values() ?? [])].filter((edge) => edge.id !== id);
    const reached = new Map<string, Held | null>([[to, null]]);
    // Iterating a map also visits entries added during the loop.
    for (const [agent] of reached) {
      if (agent === from) return pathTo(from, reached);
      for (const edge of edges) if (edge.from === agent && !reached.has(edge.to)) reached.set(edge.to, edge);
    }
    return null;
  }

  private put(edge: Held): void {
    const tree = this.trees.get(edge.root) ?? new Map<string, Held>();
    tree.set(edge.id, edge);
    this.trees.set(edge.root, tree);
    this.roots.set(edge.id, edge.root);
  }
}

/** A wait that enters the graph when staged: of two waits that would close a cycle, the second finds the first. */
export class StagedWait {
  private readonly graph: WaitGraph;
  private readonly edge: WaitEdge;
  private decide = (): void => {};

  constructor(graph: WaitGraph, { delegation_id, root_session_id, agent_id, target_id }: DelegationOpened) {
    this.graph = graph;
    this.edge = { id: delegation_id, root: root_session_id, from: agent_id, to: target_id };
  }

  cycle(): ReturnType<WaitGraph['cycle']> {
    return this.graph.cycle(this.edge);
  }

  stage(): void {
    const decided = new Promise<void>((resolve) => {
      this.decide = resolve;
    });
    this.graph.stage(this.edge, decided);
  }

  /** Takes the edge out before the decision is made again. */
  drop(): void {
    this.graph.remove(this.edge.id);
    this.decide();
  }

  /** Keeps the edge if `asked` succeeds, else removes it. */
  async during<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (thrown) {
      this.graph.remove(this.edge.id);
      throw thrown;
    } finally {
      this.decide();
    }
  }
}

/** Walks back along the edges by which each agent was reached. */
function pathTo(from: string, reached: ReadonlyMap<string, Held | null>) {
  const agents = [from];
  let undecided: Promise<void> | null = null;
  for (let edge = reached.get(from); edge != null; edge = reached.get(edge.from)) {
    agents.unshift(edge.from);
    undecided ??= edge.decided;
  }
  return { agents: [from, ...agents], undecided };
}
