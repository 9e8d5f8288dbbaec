/** What the hub keeps of every session that has not ended: when it must be looked at next, and of which kind it is. Heads stay in the store. */

import { type Head, headDeadline, lifecycleDeadline } from '../../core/state/fold-head.ts';
import { DeadlineHeap } from '../../core/lib/heap.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import type { LiveRow } from '../../core/ports/store.ts';
import { Census } from '../census.ts';

export class LiveIndex {
  /** One per live session. One that comes too early is only a look; none comes too late. */
  readonly deadlines: DeadlineHeap = new DeadlineHeap();
  readonly census: Census = new Census();
  /** Sessions that are closing are few and soon gone; any receipt in them may be the last that is waited for. */
  private readonly closingHeads = new Map<string, Head>();
  private readonly orphanMs: number;

  constructor(orphanMs: number) {
    this.orphanMs = orphanMs;
  }

  get size(): number {
    return this.deadlines.size;
  }

  closing(sessionId: string): Head | undefined {
    return this.closingHeads.get(sessionId);
  }

  /** The closing sessions that name the agent. */
  closingOf(agentId: string): readonly Head[] {
    return [...this.closingHeads.values()].filter(({ members }) => Object.hasOwn(members, agentId));
  }

  /** A live session as the start of the hub finds it. */
  restore({ session_id, deadline_ms, type, state }: LiveRow, nowMs: number): void {
    // What has happened since the row was read is known better.
    if (!this.census.has(session_id)) this.census.note(session_id, type, state);
    this.deadlines.set(session_id, deadline_ms ?? nowMs + this.orphanMs);
  }

  /** Takes the newest head of a session and arms its deadline; an ended one is forgotten. */
  update(head: Head, nowMs: number): void {
    const { session_id, type, state } = head;
    if (isTerminal(state)) return this.forget(session_id);
    this.census.note(session_id, type, state);
    if (state === 'CLOSING') this.closingHeads.set(session_id, head);
    const due = headDeadline(head);
    if (lifecycleDeadline(head) !== null) return this.deadlines.set(session_id, due);
    // Without a deadline of its own it ends a time after the last of its participants left, which is not before now.
    if (this.deadlines.at(session_id) === undefined) this.deadlines.set(session_id, nowMs + this.orphanMs);
    if (due !== null) this.sooner(session_id, due);
  }

  /** Arms an earlier deadline. A later one changes nothing: when the session is looked at, it is armed anew. */
  sooner(sessionId: string, dueMs: number): void {
    const armed = this.deadlines.at(sessionId);
    if (armed !== undefined && dueMs < armed) this.deadlines.set(sessionId, dueMs);
  }

  forget(sessionId: string): void {
    this.deadlines.set(sessionId, null);
    this.census.forget(sessionId);
    this.closingHeads.delete(sessionId);
  }
}
