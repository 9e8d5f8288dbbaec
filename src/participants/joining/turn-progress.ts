/** Shows a turn live: progress reports, and the answer while it is written. */

import { truncateReason } from '../../client/connection/connection-types.ts';
import type { Session } from '../../client/index.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';

/** The hub logs at most one report per 10 s, unless a deadline is shorter. */
const DEFAULT_MS = 10_000;
const LEAST_MS = 100;
const MAX_NOTE = 200;

/** Reports progress often enough to keep the turn's deadline. */
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

  /** `now`: report immediately, because the turn has been open for some time. */
  start(now: boolean): void {
    if (now) this.beat();
    else this.wait();
  }

  /** Sets the text of the next report. */
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
    // A lost turn is handled elsewhere, and a missing report is harmless.
    const note = this.note === '' ? undefined : this.note;
    this.session.progress(note).catch(() => {});
  }
}

/** A third of the shortest turn deadline: two reports may be lost. */
function heartbeatMs({ manifest }: SessionMetadata): number {
  const times = manifest.expectations
    .filter(({ name, params }) => name === 'turn_within' && params.heartbeat !== false)
    .map(({ params }) => (Number(params.seconds) * 1000) / 3);
  return Math.max(LEAST_MS, Math.min(DEFAULT_MS, ...times.filter(Number.isFinite)));
}

/** Minimum pause between two deltas. */
const PAUSE_MS = 50;
const MAX_DELTA_CHARS = 16_384;
/** The hub forwards at most 1 MiB per turn, and a character may have several bytes. */
const MAX_TURN_CHARS = 1_000_000;

/** Streams an answer: the first part immediately, then at most one delta per pause. */
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
    // The hub would drop anything above the limit.
    this.waiting += text.slice(0, Math.max(0, MAX_TURN_CHARS - this.shown - this.waiting.length));
    if (this.stopPause === null) this.flush();
  }

  /** Sends the rest and stops. */
  end(): void {
    this.stopPause?.();
    this.stopPause = null;
    while (this.waiting !== '' && !this.isOver) this.showPart();
    this.isOver = true;
  }

  /** Stops without sending the rest: there will be no answer. */
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
    const part = this.waiting.slice(0, MAX_DELTA_CHARS);
    this.waiting = this.waiting.slice(part.length);
    this.shown += part.length;
    // Deltas are best effort: the answer has the whole text.
    this.session.delta(part, { causationId: this.causationId }).catch(() => {});
  }
}
