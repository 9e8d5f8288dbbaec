/** Hands on what a peer sends, so much of it in a turn: who sends without end takes its time from nobody else. */

import type { InTurn, Turns } from './turns.ts';

/** Frames of one peer in one turn. A chunk of a socket can hold hundreds. */
const AT_ONCE = 16;

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
  private readonly waiting: string[] = [];
  /** The hub wants nothing more for now. */
  private isHeld = false;

  constructor(source: Readable, turns: Turns, take: (text: string) => void) {
    this.source = source;
    this.turns = turns;
    this.take = take;
  }

  came(text: string): void {
    if (this.taken === 0) this.turns.atEnd(this);
    if (this.taken < AT_ONCE && this.waiting.length === 0 && !this.isHeld) {
      this.taken += 1;
      return this.take(text);
    }
    if (this.waiting.length === 0) this.source.pause();
    this.waiting.push(text);
  }

  endTurn(): void {
    this.taken = 0;
    this.handOn();
  }

  hold(): void {
    this.isHeld = true;
    this.source.pause();
  }

  goOn(): void {
    this.isHeld = false;
    this.handOn();
    if (this.waiting.length === 0) this.source.resume();
  }

  /** Nothing more will come: what has come is handed on. */
  end(): void {
    this.isHeld = false;
    for (const text of this.waiting.splice(0)) this.take(text);
  }

  private handOn(): void {
    if (this.waiting.length === 0) return;
    while (this.taken < AT_ONCE && this.waiting.length > 0 && !this.isHeld) {
      this.taken += 1;
      this.take(this.waiting.shift() ?? '');
    }
    if (this.taken > 0) this.turns.atEnd(this);
    if (this.waiting.length === 0 && !this.isHeld) this.source.resume();
  }
}
