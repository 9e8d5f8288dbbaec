/** Calls at the end of a turn of the event loop whoever asked for it in that turn, once. */

export interface InTurn {
  endTurn(): void;
}

/** One for a server. */
export class Turns {
  /** Frames that were handed on, of all peers. */
  frames = 0;
  private asked = new Set<InTurn>();

  atEnd(one: InTurn): void {
    if (this.asked.size === 0) setImmediate(() => this.end());
    this.asked.add(one);
  }

  /** Who asks again while it is called is called at the end of the next turn. */
  private end(): void {
    const asked = this.asked;
    this.asked = new Set();
    for (const one of asked) one.endTurn();
  }
}
