/** Says while a turn is worked on that it is, often enough for what the session expects. */

import { shorten } from '../client/connection/connection.ts';
import type { Session } from '../client/index.ts';
import type { Clock } from '../core/ports/platform.ts';
import type { SessionMetadata } from '../core/records/session/session.ts';

/** The hub logs no more of it, unless a shorter time waits for it. */
const USUAL_MS = 10_000;
const LEAST_MS = 100;
const MOST_NOTE = 200;

export class Heartbeat {
  private readonly session: Session;
  private readonly everyMs: number;
  private readonly clock: Clock;
  private note: string | undefined;
  private stopNext: (() => void) | null = null;

  constructor(session: Session, metadata: SessionMetadata, clock: Clock) {
    this.session = session;
    this.everyMs = heartbeatMs(metadata);
    this.clock = clock;
  }

  /** `now` = the turn has been open for a while. */
  start(now: boolean): void {
    if (now) this.beat();
    else this.wait();
  }

  /** What is said with the next one. */
  doing(note: string): void {
    this.note = shorten(note, MOST_NOTE);
  }

  stop(): void {
    this.stopNext?.();
    this.stopNext = null;
  }

  private wait(): void {
    this.stopNext = this.clock.after(this.everyMs, () => this.beat());
  }

  private beat(): void {
    this.wait();
    // A turn that was lost meanwhile ends otherwise; one more or less says nothing.
    const note = this.note === '' ? undefined : this.note;
    this.session.progress(note).catch(() => {});
  }
}

/** A third of the shortest time a turn has: two may be lost. */
function heartbeatMs({ manifest }: SessionMetadata): number {
  const times = manifest.expectations
    .filter(({ name, params }) => name === 'turn_within' && params.heartbeat !== false)
    .map(({ params }) => (Number(params.seconds) * 1000) / 3);
  return Math.max(LEAST_MS, Math.min(USUAL_MS, ...times.filter(Number.isFinite)));
}
