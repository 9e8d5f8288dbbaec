/** The turns of the event loop: which one it is, and who is to be called at its end, once. */

export interface InTurn {
  endTurn(): void;
}

/** One for a server. */
export class Turns {
  /** Frames that were handed on, of all peers. */
  frames = 0;
  private asked = new Set<InTurn>();
  private number = 0;
  private isEndDue = false;

  /** Another one in every turn in which it is asked for. */
  get current(): number {
    this.dueEnd();
    return this.number;
  }

  atEnd(one: InTurn): void {
    this.dueEnd();
    this.asked.add(one);
  }

  private dueEnd(): void {
    if (this.isEndDue) return;
    this.isEndDue = true;
    setImmediate(() => this.end());
  }

  /** Who asks again while it is called is called at the end of the next turn. */
  private end(): void {
    this.isEndDue = false;
    this.number += 1;
    if (this.asked.size === 0) return;
    const asked = this.asked;
    this.asked = new Set();
    for (const one of asked) one.endTurn();
  }
}
