/** A wait that is in the graph from the moment it is staged: of two that would make a cycle the second finds the first. */

import type { DelegationOpened } from '../core/records/work/delegation.ts';
import type { WaitEdge, WaitGraph } from './tasks/wait-graph.ts';

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
