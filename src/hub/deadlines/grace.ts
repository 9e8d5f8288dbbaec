/** Keeps grace periods: nothing fires for a while after a start, a clock jump, or when a session becomes available again. */

import type { Clock } from '../../core/ports/platform.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { Head } from '../../core/records/session/unit.ts';

/** A larger difference between wall and monotonic time means that the clock was set or the machine slept. */
const JUMP_MS = 5_000;

export class Grace {
  private readonly clock: Clock;
  /** The wall clock, compared with monotonic time to detect clock changes. */
  private readonly wall: Clock;
  private readonly graceMs: number;
  /** Monotonic end of the grace period of all sessions; `returnUntil` has the ends for single sessions. */
  private until = Number.NEGATIVE_INFINITY;
  private readonly returnUntil = new Map<string, number>();
  private lastMs: number;
  private last: number;
  /** Unavailable sessions, and whether their missing extension may be registered now. */
  private readonly lost = new Map<string, { mayBeBack: boolean }>();

  constructor(clock: Clock, wall: Clock, { restartGraceMs }: Limits) {
    this.clock = clock;
    this.wall = wall;
    this.graceMs = restartGraceMs;
    this.lastMs = wall.now();
    this.last = clock.monotonic();
  }

  /** Starts a grace period for all sessions: no participant could act while the hub was down. */
  started(): void {
    this.until = this.clock.monotonic() + this.graceMs;
  }

  /** Detects clock jumps. Called at every sweep and before a session is found due. */
  check(): void {
    const nowMs = this.wall.now();
    const now = this.clock.monotonic();
    const jumped = Math.abs(nowMs - this.lastMs - (now - this.last)) > JUMP_MS;
    if (jumped) this.until = now + this.graceMs;
    this.lastMs = nowMs;
    this.last = now;
  }

  /** The remaining grace period of the session; 0 if none. */
  leftMs(sessionId: string): number {
    const now = this.clock.monotonic();
    const until = Math.max(this.until, this.returnUntil.get(sessionId) ?? Number.NEGATIVE_INFINITY);
    if (until <= now) this.returnUntil.delete(sessionId);
    return Math.max(0, until - now);
  }

  /** When to check the session's expectations, judged by its head; null if never. */
  checkAtMs({ session_id, due_at }: Head): number | null {
    const lost = this.lost.get(session_id);
    if (lost !== undefined) return lost.mayBeBack ? this.clock.now() : null;
    if (due_at === null || due_at === undefined) return null;
    const leftMs = this.leftMs(session_id);
    return leftMs === 0 ? due_at : Math.max(due_at, this.clock.now() + leftMs);
  }

  /** Notes a loaded session; starts its grace period if it was unavailable before. */
  loaded(sessionId: string, isUnavailable: boolean): void {
    if (isUnavailable) this.lost.set(sessionId, { mayBeBack: false });
    else if (this.lost.delete(sessionId)) this.returnUntil.set(sessionId, this.clock.monotonic() + this.graceMs);
  }

  /** Called when an extension was registered; returns the sessions that may have lacked it. */
  mayBeBack(): Iterable<string> {
    for (const state of this.lost.values()) state.mayBeBack = true;
    return this.lost.keys();
  }

  forget(sessionId: string): void {
    this.lost.delete(sessionId);
    this.returnUntil.delete(sessionId);
  }
}
