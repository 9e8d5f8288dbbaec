/** Grace periods: nothing fires for a while after a start, a clock jump, or the return of a session. */

import type { Clock } from '../../core/ports/platform.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { Head } from '../../core/records/session/unit.ts';

/** A larger difference between wall and monotonic time means that the clock was set or the machine slept. */
const JUMP_MS = 5_000;

export class Grace {
  private readonly clock: Clock;
  /** Shows whether the clock was set. */
  private readonly wall: Clock;
  private readonly graceMs: number;
  /** The end of the grace period of all sessions, and of single ones, in monotonic time. */
  private until = Number.NEGATIVE_INFINITY;
  private readonly returnUntil = new Map<string, number>();
  private lastMs: number;
  private last: number;
  /** Unavailable sessions, and whether what they lack may be registered now. */
  private readonly lost = new Map<string, { mayBeBack: boolean }>();

  constructor(clock: Clock, wall: Clock, { restartGraceMs }: Limits) {
    this.clock = clock;
    this.wall = wall;
    this.graceMs = restartGraceMs;
    this.lastMs = wall.now();
    this.last = clock.monotonic();
  }

  /** The hub started with live sessions: no participant could act while it was down. */
  started(): void {
    this.until = this.clock.monotonic() + this.graceMs;
  }

  /** Called at every sweep, and before a session is found due. */
  check(): void {
    const nowMs = this.wall.now();
    const now = this.clock.monotonic();
    const jumped = Math.abs(nowMs - this.lastMs - (now - this.last)) > JUMP_MS;
    if (jumped) this.until = now + this.graceMs;
    this.lastMs = nowMs;
    this.last = now;
  }

  /** The remaining grace period of the session; 0 = none. */
  leftMs(sessionId: string): number {
    const now = this.clock.monotonic();
    const until = Math.max(this.until, this.returnUntil.get(sessionId) ?? Number.NEGATIVE_INFINITY);
    if (until <= now) this.returnUntil.delete(sessionId);
    return Math.max(0, until - now);
  }

  /** When to check the session's expectations, judged by its head; null = never. */
  checkAtMs({ session_id, due_at }: Head): number | null {
    const lost = this.lost.get(session_id);
    if (lost !== undefined) return lost.mayBeBack ? this.clock.now() : null;
    if (due_at === null || due_at === undefined) return null;
    const leftMs = this.leftMs(session_id);
    return leftMs === 0 ? due_at : Math.max(due_at, this.clock.now() + leftMs);
  }

  /** Starts the grace period of a session that is available again. */
  loaded(sessionId: string, isUnavailable: boolean): void {
    if (isUnavailable) this.lost.set(sessionId, { mayBeBack: false });
    else if (this.lost.delete(sessionId)) this.returnUntil.set(sessionId, this.clock.monotonic() + this.graceMs);
  }

  /** An extension was registered: returns the sessions that may have lacked it. */
  mayBeBack(): Iterable<string> {
    for (const state of this.lost.values()) state.mayBeBack = true;
    return this.lost.keys();
  }

  forget(sessionId: string): void {
    this.lost.delete(sessionId);
    this.returnUntil.delete(sessionId);
  }
}
