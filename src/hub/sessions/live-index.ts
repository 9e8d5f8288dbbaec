/** What the hub keeps of every session that has not ended: when it must be looked at next, and of which kind it is. Heads stay in the store. */

import { DeadlineHeap } from '../../core/lib/heap.ts';
import type { LiveRow } from '../../core/ports/store.ts';
import { isTerminal, type LifecycleState } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import { headDeadline, lifecycleDeadline } from '../../core/state/fold-head.ts';

export class LiveIndex {
  /** One per live session. One that comes too early is only a look; none comes too late. */
  readonly deadlines: DeadlineHeap = new DeadlineHeap();
  readonly census: SessionCounter = new SessionCounter();
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
    if (due !== null) this.bringForward(session_id, due);
  }

  /** Arms an earlier deadline. A later one changes nothing: when the session is looked at, it is armed anew. */
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

/** Sessions that are alike. */
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
  /** Of each session the place of its kind: a million of them would not fit as texts. */
  private readonly kindOf = new Map<string, number>();
  /** Types are those of adapters, so there are few. Their places never change. */
  private readonly kinds: Kind[] = [];
  private readonly places = new Map<string, number>();

  has(sessionId: string): boolean {
    return this.kindOf.has(sessionId);
  }

  /** It is there, of this type and in this state now. */
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

  /** Costs what there are kinds of, not what there are sessions. */
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
