/** Keeps the cursors of all recipients. Writes them with a delay and without sync: a lost ack only repeats a delivery. */

import type { Cursor, Store } from '../../core/ports/store.ts';
import { Counter } from '../lib/counter.ts';

export interface Progress {
  readonly agent_id: string;
  readonly session_id: string;
  readonly epoch: number;
  /** Every deliverable envelope up to this seq is acked; 0 if none is. */
  seq: number;
  readonly beyond: Set<number>;
}

export class Cursors {
  private readonly store: Store;
  private readonly byAgent = new Map<string, Map<string, Progress>>();
  private readonly dirty = new Set<Progress>();
  private readonly retired = new Set<Progress>();
  private readonly dropped = new Map<string, { agent_id: string; session_id: string }>();
  /** Agents being caught up or counted; their cursors stay in memory. */
  private readonly held = new Counter<string>();
  private flushing: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.store = store;
  }

  /** Keeps the agent's cursors in memory until the returned function is called: stored cursors may be older. */
  hold(agentId: string): () => void {
    this.held.add(agentId);
    return () => this.held.remove(agentId);
  }

  /** Reads the agent's stored cursors; newer ones in memory win. */
  async load(agentId: string): Promise<void> {
    const stored = await this.store.loadCursors(agentId);
    const known = this.progressOf(agentId);
    for (const { session_id, epoch, seq, beyond } of stored) {
      if (known.has(session_id) || this.dropped.has(`${agentId}\n${session_id}`)) continue;
      known.set(session_id, { agent_id: agentId, session_id, epoch, seq, beyond: new Set(beyond) });
    }
  }

  get(agentId: string, sessionId: string): Progress | undefined {
    return this.byAgent.get(agentId)?.get(sessionId);
  }

  /** Starts from 0 in a different epoch: acks of another history do not count. */
  getOrStart(agentId: string, sessionId: string, epoch: number): Progress {
    const known = this.progressOf(agentId);
    const progress = known.get(sessionId);
    if (progress?.epoch === epoch) return progress;
    const fresh = { agent_id: agentId, session_id: sessionId, epoch, seq: 0, beyond: new Set<number>() };
    known.set(sessionId, fresh);
    // Save it before any ack: it marks a recipient that may miss envelopes while disconnected.
    this.dirty.add(fresh);
    return fresh;
  }

  allOf(agentId: string): readonly Progress[] {
    return [...(this.byAgent.get(agentId)?.values() ?? [])];
  }

  changed(progress: Progress): void {
    this.dirty.add(progress);
  }

  moveTo(progress: Progress, seq: number): void {
    progress.seq = seq;
    for (const beyond of progress.beyond) if (beyond <= seq) progress.beyond.delete(beyond);
    this.dirty.add(progress);
  }

  /** Deletes a cursor that is no longer needed, in memory and in the store. */
  drop(agentId: string, sessionId: string): void {
    const progress = this.get(agentId, sessionId);
    if (progress !== undefined) this.dirty.delete(progress);
    this.byAgent.get(agentId)?.delete(sessionId);
    this.dropped.set(`${agentId}\n${sessionId}`, { agent_id: agentId, session_id: sessionId });
  }

  /** Writes the cursor of a finished stream once more, then removes it from memory. */
  retire(agentId: string, sessionId: string): void {
    const progress = this.get(agentId, sessionId);
    if (progress === undefined) return;
    this.dirty.add(progress);
    this.retired.add(progress);
  }

  /** Writes changed cursors, then removes those of disconnected agents from memory. */
  flush(isBound: (agentId: string) => boolean): Promise<void> {
    // A failed write does not stop the next.
    this.flushing = this.flushing.catch(() => {}).then(() => this.write(isBound));
    return this.flushing;
  }

  private async write(isBound: (agentId: string) => boolean): Promise<void> {
    const saved = [...this.dirty];
    const gone = [...this.dropped];
    this.dirty.clear();
    try {
      if (saved.length > 0) await this.store.saveCursors(saved.map(cursorOf));
      if (gone.length > 0) await this.store.dropCursors(gone.map(([, key]) => key));
    } catch (thrown) {
      for (const progress of saved) this.dirty.add(progress);
      throw thrown;
    }
    this.forget(gone, isBound);
  }

  private forget(gone: readonly [string, { agent_id: string }][], isBound: (agentId: string) => boolean): void {
    for (const [name, { agent_id }] of gone) if (this.held.get(agent_id) === 0) this.dropped.delete(name);
    for (const progress of this.retired) {
      const { agent_id, session_id } = progress;
      if (this.dirty.has(progress) || this.held.get(agent_id) > 0) continue;
      this.retired.delete(progress);
      this.byAgent.get(agent_id)?.delete(session_id);
    }
    for (const [agentId, sessions] of this.byAgent) {
      if (isBound(agentId) || this.held.get(agentId) > 0) continue;
      if (![...sessions.values()].some((progress) => this.dirty.has(progress))) this.byAgent.delete(agentId);
    }
  }

  private progressOf(agentId: string): Map<string, Progress> {
    const known = this.byAgent.get(agentId) ?? new Map<string, Progress>();
    this.byAgent.set(agentId, known);
    return known;
  }
}

function cursorOf({ agent_id, session_id, epoch, seq, beyond }: Progress): Cursor {
  return { agent_id, session_id, epoch, seq, beyond: [...beyond].sort((a, b) => a - b) };
}
