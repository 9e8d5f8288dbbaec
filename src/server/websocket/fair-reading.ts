/** Reads fairly from many peers: each hands on a bounded amount per tick of the event loop, so a flood delays nobody else. */

/**
 * Characters of one peer in one turn: a chunk of a socket can hold hundreds of frames, and all of them together would keep
 * everyone else waiting. Those who wait for answers seldom send as many.
 */
export const MAX_AT_ONCE = 8192;
/** What a frame costs beside its characters. */
export const FRAME_COST = 100;
/** How long the rest waits while others speak too. Who speaks alone goes on in the next turn. */
export const PAUSE_MS = 3;

/** The end that is read from. */
export interface Readable {
  pause(): void;
  resume(): void;
}

export class FairReading {
  private readonly source: Readable;
  private readonly turns: EventLoopTicks;
  private readonly take: (text: string) => void;
  /** What was taken in a turn, and in which. */
  private spent = 0;
  private turn = -1;
  /** Frames that were handed on, of this peer and of the others. */
  private own = 0;
  private others = 0;
  /** What came and was not handed on yet; nothing more is read meanwhile. */
  private waiting: string[] = [];
  /** Until one of them fires nothing is handed on. */
  private timer: NodeJS.Timeout | undefined;
  private nextTurn: NodeJS.Immediate | undefined;
  /** The hub wants nothing more for now. */
  private isHeld = false;

  constructor(source: Readable, turns: EventLoopTicks, take: (text: string) => void) {
    this.source = source;
    this.turns = turns;
    this.take = take;
  }

  came(text: string): void {
    if (this.mustWait || this.waiting.length > 0) this.waiting.push(text);
    else this.handOne(text);
  }

  /** A frame that the socket deals with itself, such as a ping: there is nothing to hand on, but it took its time. */
  passed(bytes: number): void {
    this.spend(bytes);
    if (this.spent >= MAX_AT_ONCE && !this.mustWait) this.rest();
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
    clearImmediate(this.nextTurn);
    for (const text of this.waiting.splice(0)) this.take(text);
  }

  private get mustWait(): boolean {
    return this.isHeld || this.timer !== undefined || this.nextTurn !== undefined;
  }

  private handOne(text: string): void {
    this.spend(text.length);
    this.own += 1;
    this.turns.frames += 1;
    this.take(text);
    if (this.spent >= MAX_AT_ONCE && !this.mustWait) this.rest();
  }

  private spend(length: number): void {
    const turn = this.turns.current;
    this.spent = (turn === this.turn ? this.spent : 0) + length + FRAME_COST;
    this.turn = turn;
  }

  private rest(): void {
    const others = this.turns.frames - this.own;
    const isAlone = others === this.others;
    this.others = others;
    if (!isAlone) return this.slow(PAUSE_MS);
    this.source.pause();
    this.nextTurn = setImmediate(() => {
      this.nextTurn = undefined;
      this.handOn();
    });
  }

  private handOn(): void {
    const some = this.waiting;
    this.waiting = [];
    this.spent = 0;
    let handed = 0;
    while (handed < some.length && !this.mustWait) this.handOne(some[handed++] ?? '');
    this.waiting = some.slice(handed);
    if (!this.mustWait) this.source.resume();
  }
}

export interface TickListener {
  endTurn(): void;
}

/** Counts the ticks of the event loop, and calls listeners once at the end of a tick. */
export class EventLoopTicks {
  /** Frames that were handed on, of all peers. */
  frames = 0;
  private asked = new Set<TickListener>();
  private number = 0;
  private isEndDue = false;

  /** Another one in every turn in which it is asked for. */
  get current(): number {
    this.dueEnd();
    return this.number;
  }

  atEnd(one: TickListener): void {
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
