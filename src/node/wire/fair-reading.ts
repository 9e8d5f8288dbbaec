/** Hands on what a peer sends, so much of it at a time: who sends without end takes its time from nobody else. */

import type { InTurn, Turns } from './turns.ts';

/** Frames of one peer in one turn: a chunk of a socket can hold hundreds. Those who wait for answers seldom send as many. */
export const AT_ONCE = 32;
/** And how long the rest of them waits. Together they are about what one peer can use of a hub that does nothing else. */
export const PAUSE_MS = 2;

/** The end that is read from. */
export interface Readable {
  pause(): void;
  resume(): void;
}

export class FairReading implements InTurn {
  private readonly source: Readable;
  private readonly turns: Turns;
  private readonly take: (text: string) => void;
  private taken = 0;
  /** What came and was not handed on yet; nothing more is read meanwhile. */
  private waiting: string[] = [];
  /** Until it fires nothing is handed on. */
  private timer: NodeJS.Timeout | undefined;
  /** The hub wants nothing more for now. */
  private isHeld = false;

  constructor(source: Readable, turns: Turns, take: (text: string) => void) {
    this.source = source;
    this.turns = turns;
    this.take = take;
  }

  came(text: string): void {
    if (this.mustWait || this.waiting.length > 0) return void this.waiting.push(text);
    if (this.taken === 0) this.turns.atEnd(this);
    this.taken += 1;
    this.take(text);
    if (this.taken === AT_ONCE) this.slow(PAUSE_MS);
  }

  endTurn(): void {
    this.taken = 0;
  }

  hold(): void {
    this.isHeld = true;
    this.source.pause();
  }

  goOn(): void {
    this.isHeld = false;
    this.handOn();
  }

  /** Nothing is read for so long, from the last that was asked for. */
  slow(ms: number): void {
    this.source.pause();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.handOn();
    }, ms);
  }

  /** Nothing more will come: what has come is handed on. */
  end(): void {
    clearTimeout(this.timer);
    for (const text of this.waiting.splice(0)) this.take(text);
  }

  private get mustWait(): boolean {
    return this.isHeld || this.timer !== undefined;
  }

  private handOn(): void {
    const some = this.waiting;
    this.waiting = [];
    let handed = 0;
    while (handed < some.length && handed < AT_ONCE && !this.mustWait) this.take(some[handed++] ?? '');
    this.waiting = some.slice(handed);
    if (this.mustWait) return;
    if (this.waiting.length > 0) this.slow(PAUSE_MS);
    else this.source.resume();
  }
}
