/** Shows an answer while it is written: at once at first, then what came meanwhile, a few times a second and no more than counts. */

import type { Session } from '../../client/index.ts';
import type { Clock } from '../../core/ports/platform.ts';

/** Between two deltas. */
const PAUSE_MS = 50;
/** What one delta holds at most. */
const MOST_AT_ONCE = 16_384;
/** A hub forwards no more than 1 MiB of a turn; characters may have several bytes. */
const MOST_IN_ALL = 1_000_000;

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
    this.waiting += text.slice(0, Math.max(0, MOST_IN_ALL - this.shown - this.waiting.length));
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
    const part = this.waiting.slice(0, MOST_AT_ONCE);
    this.waiting = this.waiting.slice(part.length);
    this.shown += part.length;
    // A hint: what cannot be shown is in the answer.
    this.session.delta(part, { causationId: this.causationId }).catch(() => {});
  }
}
