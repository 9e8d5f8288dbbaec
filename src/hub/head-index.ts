/** Heads of the sessions that have not ended: who is in them, which are children of which, and when each must be looked at. */

import { type Head, lifecycleDeadline } from '../core/head.ts';
import { DeadlineHeap } from '../core/heap.ts';
import { isTerminal } from '../core/session.ts';

const none: ReadonlySet<string> = new Set();

export class HeadIndex {
  private readonly heads = new Map<string, Head>();
  private readonly epochs = new Map<string, number>();
  private readonly byAgent = new Map<string, Set<string>>();
  private readonly byParent = new Map<string, Set<string>>();
  readonly deadlines: DeadlineHeap = new DeadlineHeap();

  get size(): number {
    return this.heads.size;
  }

  get(sessionId: string): Head | undefined {
    return this.heads.get(sessionId);
  }

  /** The epoch of a live session. */
  epochOf(sessionId: string): number {
    return this.epochs.get(sessionId) ?? 1;
  }

  all(): IterableIterator<Head> {
    return this.heads.values();
  }

  /** The live sessions that name the agent, in whatever status. */
  sessionsOf(agentId: string): readonly Head[] {
    return [...(this.byAgent.get(agentId) ?? none)]
      .map((id) => this.heads.get(id))
      .filter((head) => head !== undefined);
  }

  childrenOf(sessionId: string): ReadonlySet<string> {
    return this.byParent.get(sessionId) ?? none;
  }

  /** Takes the newest head of a session and arms its deadline; an ended one is forgotten. `orphanAtMs`: if it has no TTL. */
  update(head: Head, epoch: number, orphanAtMs: number | null): void {
    const known = this.heads.get(head.session_id);
    if (isTerminal(head.state)) return this.forget(head);
    this.heads.set(head.session_id, head);
    // The usual epoch costs nothing.
    if (epoch !== 1) this.epochs.set(head.session_id, epoch);
    if (known?.members !== head.members) {
      for (const agentId of Object.keys(head.members)) put(this.byAgent, agentId, head.session_id);
    }
    if (known === undefined && head.parent_session_id !== null)
      put(this.byParent, head.parent_session_id, head.session_id);
    this.arm(head, orphanAtMs);
  }

  arm(head: Head, orphanAtMs: number | null): void {
    this.deadlines.set(head.session_id, lifecycleDeadline(head) ?? orphanAtMs);
  }

  private forget(head: Head): void {
    const { session_id, parent_session_id } = head;
    this.heads.delete(session_id);
    this.epochs.delete(session_id);
    this.deadlines.set(session_id, null);
    for (const agentId of Object.keys(head.members)) drop(this.byAgent, agentId, session_id);
    if (parent_session_id !== null) drop(this.byParent, parent_session_id, session_id);
  }
}

function put(index: Map<string, Set<string>>, key: string, value: string): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([value]));
  else known.add(value);
}

function drop(index: Map<string, Set<string>>, key: string, value: string): void {
  const known = index.get(key);
  known?.delete(value);
  if (known?.size === 0) index.delete(key);
}
