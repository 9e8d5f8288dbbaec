/** What others see of a turn while the agent works: progress reports, and the answer as it is written. */

import { truncateReason } from '../../client/connection/connection-types.ts';
import type { Session } from '../../client/index.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';

/** The hub logs no more of it, unless a shorter time waits for it. */
const USUAL_MS = 10_000;
const LEAST_MS = 100;
const MAX_NOTE = 200;

/** Reports progress often enough for what the session expects. */
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
    this.note = truncateReason(note, MAX_NOTE);
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

/** Between two deltas. */
const PAUSE_MS = 50;
/** What one delta holds at most. */
const MAX_AT_ONCE = 16_384;
/** A hub forwards no more than 1 MiB of a turn; characters may have several bytes. */
const MAX_IN_ALL = 1_000_000;

/** Shows an answer while it is written: the first part immediately, then at most one delta per pause. */
export class LiveText {
  private readonly session: Session;
  private readonly causationId: string;
  private readonly clock: Clock;
  private waiting = '';
  private shown = 0;
  private stopPause: (() => void) | null = null;
  private isOver = false;

  constructor(session: Session, causationId: string, clock: Clock) {
    this.session = session;
    this.causationId = causationId;
    this.clock = clock;
  }

  add(text: string): void {
    if (this.isOver || text === '') return;
    // What is over the bound would be dropped: there is no use in keeping it.
    this.waiting += text.slice(0, Math.max(0, MAX_IN_ALL - this.shown - this.waiting.length));
    if (this.stopPause === null) this.flush();
  }

  /** Shows what waits, and nothing more after that. */
  end(): void {
    this.stopPause?.();
    this.stopPause = null;
    while (this.waiting !== '' && !this.isOver) this.showPart();
    this.isOver = true;
  }

  /** The answer will not come: what waits is not shown. */
  drop(): void {
    this.waiting = '';
    this.end();
  }

  private flush(): void {
    this.stopPause = null;
    if (this.waiting === '' || this.isOver) return;
    this.showPart();
    this.stopPause = this.clock.after(PAUSE_MS, () => this.flush());
  }

  private showPart(): void {
    const part = this.waiting.slice(0, MAX_AT_ONCE);
    this.waiting = this.waiting.slice(part.length);
    this.shown += part.length;
    // A hint: what cannot be shown is in the answer.
    this.session.delta(part, { causationId: this.causationId }).catch(() => {});
  }
}
