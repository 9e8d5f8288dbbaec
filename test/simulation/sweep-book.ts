/** What each sweep had to fire: everything due and not held back, in available sessions. Checked once all is written. */

import type { Clock } from 'parley-hub/core';
import type { GraceModel } from './grace-model.ts';
import { holds } from './law-broken.ts';
import type { LogModel } from './log-model.ts';
import { hasFired, type OpenWait, waitsOf } from './waits-model.ts';

interface Owed {
  readonly session: string;
  readonly wait: OpenWait;
  /** When the sweep ran. */
  readonly atMs: number;
}

export class SweepBook {
  private readonly model: LogModel;
  private readonly grace: GraceModel;
  private readonly clock: Clock;
  private owed = new Map<string, Owed>();
  /** Tasks past their ttl. */
  private owedTasks = new Map<string, Omit<Owed, 'wait'>>();
  /** Another writer appended, and the hub may not know of waits that began there. */
  private strange = new Set<string>();

  constructor(model: LogModel, grace: GraceModel, clock: Clock) {
    this.model = model;
    this.grace = grace;
    this.clock = clock;
  }

  /** The hub has started: it knows every log, and pending work of the last one is lost or done. */
  started(): void {
    this.forget();
    this.strange = new Set();
  }

  /** The hub cannot write any more. */
  forget(): void {
    this.owed = new Map();
    this.owedTasks = new Map();
  }

  /** Called before a sweep. `canGoOn`: the session is available. */
  sweeps(canGoOn: (session: string) => boolean): void {
    const atMs = this.clock.now();
    for (const session of this.model.sessions.keys()) {
      if (this.strange.has(session) || !canGoOn(session) || this.grace.heldBy(session) !== null) continue;
      for (const wait of this.dueBy(session, atMs)) {
        const name = `${session} ${wait.entry} ${wait.agent_id} ${wait.since_seq}`;
        if (!this.owed.has(name)) this.owed.set(name, { session, wait, atMs });
      }
      for (const id of this.model.tasks.dueBy(session, atMs)) this.owedTasks.set(id, { session, atMs });
    }
  }

  /** Another writer appended to the log. */
  moved(session: string): void {
    this.strange.add(session);
    for (const [name, owed] of this.owed) if (owed.session === session) this.owed.delete(name);
    for (const [id, owed] of this.owedTasks) if (owed.session === session) this.owedTasks.delete(id);
  }

  /** Nothing is being written or read: everything owed has fired, or is no longer awaited. Returns how much there was. */
  settled(): number {
    for (const { session, wait, atMs } of this.owed.values()) {
      const open = this.dueBy(session, atMs).some(
        (one) => one.entry === wait.entry && one.agent_id === wait.agent_id && one.since_seq === wait.since_seq,
      );
      holds(
        !open,
        'L9',
        () =>
          `${session}: ${wait.name} (entry ${wait.entry}) of ${wait.agent_id} since ${wait.since_seq} was due and did not fire`,
      );
    }
    for (const [id, { session, atMs }] of this.owedTasks) {
      const isLive = this.model.tasks.dueBy(session, atMs).includes(id);
      holds(!isLive, 'L9', () => `${session}: the time of task ${id} was over and it did not expire`);
    }
    const { size } = this.owed;
    this.forget();
    return size;
  }

  private dueBy(session: string, atMs: number): readonly OpenWait[] {
    const known = this.model.sessions.get(session);
    const state = known?.states.at(-1);
    if (known === undefined || state === undefined || state.metadata.manifest.expectations.length === 0) return [];
    return waitsOf(known.entries, state).filter((wait) => wait.dueMs <= atMs && !hasFired(known.entries, wait));
  }
}
