/** Indexes the live sessions: when each must be checked next, its type and its state. Heads stay in the store. */

import { DeadlineHeap } from '../../core/lib/heap.ts';
import type { LiveRow } from '../../core/ports/store.ts';
import { isTerminal, type LifecycleState } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import { headDeadline, lifecycleDeadline } from '../../core/state/fold-head.ts';

export class LiveIndex {
  /** One deadline per live session. It may be too early, which only costs an extra check, but never too late. */
  readonly deadlines: DeadlineHeap = new DeadlineHeap();
  readonly census: SessionCounter = new SessionCounter();
  /** Heads of closing sessions, which are few and short-lived. Any receipt may be the last one a session waits for. */
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

  restore({ session_id, deadline_ms, type, state }: LiveRow, nowMs: number): void {
    // If the session is already known, its newer state wins over the row.
    if (!this.census.has(session_id)) this.census.note(session_id, type, state);
    this.deadlines.set(session_id, deadline_ms ?? nowMs + this.orphanMs);
  }

  /** Takes the newest head of a session and arms its deadline; forgets an ended session. */
  update(head: Head, nowMs: number): void {
    const { session_id, type, state } = head;
    if (isTerminal(state)) return this.forget(session_id);
    this.census.note(session_id, type, state);
    if (state === 'CLOSING') this.closingHeads.set(session_id, head);
    const due = headDeadline(head);
    if (lifecycleDeadline(head) !== null) return this.deadlines.set(session_id, due);
    // Without its own deadline the session may become an orphan, at the earliest `orphanMs` from now.
    if (this.deadlines.at(session_id) === undefined) this.deadlines.set(session_id, nowMs + this.orphanMs);
    if (due !== null) this.bringForward(session_id, due);
  }

  /** Arms an earlier deadline. A later one has no effect: each check arms the next deadline. */
  bringForward(sessionId: string, dueMs: number): void {
    const armed = this.deadlines.at(sessionId);
    if (armed !== undefined && dueMs < armed) this.deadlines.set(sessionId, dueMs);
  }

  forget(sessionId: string): void {
    this.deadlines.set(sessionId, null);
    this.census.forget(sessionId);
    this.closingHeads.delete(sessionId);
  }
}

export interface SessionCount {
  readonly type: string;
  readonly state: LifecycleState;
  readonly count: number;
}

interface Kind {
  readonly type: string;
  readonly state: LifecycleState;
  count: number;
}

export class SessionCounter {
  /** By session, the index of its kind: a string per session would need too much memory. */
  private readonly kindOf = new Map<string, number>();
  /** Pairs of type and state: few, because types come from adapters. Indexes never change. */
  private readonly kinds: Kind[] = [];
  private readonly places = new Map<string, number>();

  has(sessionId: string): boolean {
    return this.kindOf.has(sessionId);
  }

  note(sessionId: string, type: string, state: LifecycleState): void {
    const place = this.placeOf(type, state);
    const before = this.kindOf.get(sessionId);
    if (before === place) return;
    this.count(before, -1);
    this.kindOf.set(sessionId, place);
    this.count(place, 1);
  }

  forget(sessionId: string): void {
    this.count(this.kindOf.get(sessionId), -1);
    this.kindOf.delete(sessionId);
  }

  /** The cost depends on the number of kinds, not of sessions. */
  counts(): readonly SessionCount[] {
    return this.kinds.filter(({ count }) => count > 0).map((kind) => ({ ...kind }));
  }

  private count(place: number | undefined, by: number): void {
    const kind = place === undefined ? undefined : this.kinds[place];
    if (kind !== undefined) kind.count += by;
  }

  private placeOf(type: string, state: LifecycleState): number {
    const key = `${type}\n${state}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    this.places.set(key, this.kinds.length);
    return this.kinds.push({ type, state, count: 0 }) - 1;
  }
}
