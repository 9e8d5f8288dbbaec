/** Who waits for whom in each tree of sessions: nobody may come to wait for itself. */

import type { DelegationOpened } from '../../core/records/work/delegation.ts';

/** One delegation: `from` waits for `to`. */
export interface WaitEdge {
  readonly id: string;
  readonly root: string;
  readonly from: string;
  readonly to: string;
}

/** An edge, and what is known of it: until it is durable or dropped nobody may be told of it. */
interface Held extends WaitEdge {
  readonly decided: Promise<void> | null;
}

export class WaitGraph {
  /** By root, by delegation. */
  private readonly trees = new Map<string, Map<string, Held>>();
  private readonly roots = new Map<string, string>();

  /** Known to be in the log. */
  add(edge: WaitEdge): void {
    this.put({ ...edge, decided: null });
  }

  /** It may yet be lost; `decided` settles when that is known. */
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

  /**
   * How `to` waits for `from` already, as agents from `from` over `to` back to `from`; null = it does not. `undecided` is
   * there if that depends on what is not durable yet.
   */
  cycle({ root, from, to, id }: WaitEdge): { agents: readonly string[]; undecided: Promise<void> | null } | null {
    const edges = [...(this.trees.get(root)?.values() ?? [])].filter((edge) => edge.id !== id);
    const reached = new Map<string, Held | null>([[to, null]]);
    // A map goes on with what is added to it meanwhile.
    for (const [agent] of reached) {
      if (agent === from) return wayTo(from, reached);
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

/** A wait that is in the graph from the moment it is staged: of two that would make a cycle the second finds the first. */
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

  /** Others meet it from now on. */
  stage(): void {
    const decided = new Promise<void>((resolve) => {
      this.decide = resolve;
    });
    this.graph.stage(this.edge, decided);
  }

  /** It is judged anew. */
  drop(): void {
    this.graph.remove(this.edge.id);
    this.decide();
  }

  /** When it is durable the graph has it for good; what is refused or lost goes. */
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

/** Back along the edges by which each was reached. */
function wayTo(from: string, reached: ReadonlyMap<string, Held | null>) {
  const agents = [from];
  let undecided: Promise<void> | null = null;
  for (let edge = reached.get(from); edge != null; edge = reached.get(edge.from)) {
    agents.unshift(edge.from);
    undecided ??= edge.decided;
  }
  return { agents: [from, ...agents], undecided };
}
