/** Reads fairly from many peers: each passes on a bounded amount per tick, so a flood delays nobody else. */

/** Characters taken from one peer per tick. Without a bound, one chunk with hundreds of frames would delay everyone. */
export const MAX_AT_ONCE = 8192;
/** Cost of a frame in addition to its characters. */
export const FRAME_COST = 100;
/** Pause of a peer that exceeds its bound while others are active; without others, it continues in the next tick. */
export const PAUSE_MS = 3;

export interface Readable {
  pause(): void;
  resume(): void;
}

export class FairReading {
  private readonly source: Readable;
  private readonly ticks: EventLoopTicks;
  private readonly take: (text: string) => void;
  /** Characters taken in `tick`. */
  private spent = 0;
  private tick = -1;
  /** Frames taken from this peer, and from all others up to this peer's last pause. */
  private own = 0;
  private others = 0;
  /** Frames received but not yet taken; reading is paused meanwhile. */
  private waiting: string[] = [];
  /** While the timer or `nextTick` is pending, no frame is taken. */
  private timer: NodeJS.Timeout | undefined;
  private nextTick: NodeJS.Immediate | undefined;
  /** True while the hub wants no more frames. */
  private isHeld = false;

  constructor(source: Readable, ticks: EventLoopTicks, take: (text: string) => void) {
    this.source = source;
    this.ticks = ticks;
    this.take = take;
  }

  came(text: string): void {
    if (this.mustWait || this.waiting.length > 0) this.waiting.push(text);
    else this.takeOne(text);
  }

  /** Counts a frame the socket handles itself, such as a ping. */
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
    this.takeWaiting();
  }

  /** Reads nothing for this long, counted from the latest call. */
  slow(ms: number): void {
    this.source.pause();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.takeWaiting();
    }, ms);
  }

  /** The socket closed: takes everything that was received. */
  end(): void {
    clearTimeout(this.timer);
    clearImmediate(this.nextTick);
    for (const text of this.waiting.splice(0)) this.take(text);
  }

  private get mustWait(): boolean {
    return this.isHeld || this.timer !== undefined || this.nextTick !== undefined;
  }

  private takeOne(text: string): void {
    this.spend(text.length);
    this.own += 1;
    this.ticks.frames += 1;
    this.take(text);
    if (this.spent >= MAX_AT_ONCE && !this.mustWait) this.rest();
  }

  private spend(length: number): void {
    const tick = this.ticks.current;
    this.spent = (tick === this.tick ? this.spent : 0) + length + FRAME_COST;
    this.tick = tick;
  }

  private rest(): void {
    const others = this.ticks.frames - this.own;
    const isAlone = others === this.others;
    this.others = others;
    if (!isAlone) return this.slow(PAUSE_MS);
    this.source.pause();
    this.nextTick = setImmediate(() => {
      this.nextTick = undefined;
      this.takeWaiting();
    });
  }

  private takeWaiting(): void {
    const frames = this.waiting;
    this.waiting = [];
    this.spent = 0;
    let taken = 0;
    while (taken < frames.length && !this.mustWait) this.takeOne(frames[taken++] ?? '');
    this.waiting = frames.slice(taken);
    if (!this.mustWait) this.source.resume();
  }
}

export interface TickListener {
  endTick(): void;
}

/** Counts ticks of the event loop, and calls listeners once at the end of a tick. */
export class EventLoopTicks {
  /** Frames taken from all peers. */
  frames = 0;
  private listeners = new Set<TickListener>();
  private number = 0;
  private isEndDue = false;

  /** Number of this tick. */
  get current(): number {
    this.dueEnd();
    return this.number;
  }

  atEnd(listener: TickListener): void {
    this.dueEnd();
    this.listeners.add(listener);
  }

  private dueEnd(): void {
    if (this.isEndDue) return;
    this.isEndDue = true;
    setImmediate(() => this.end());
  }

  /** A listener added during the calls is called at the end of the next tick. */
  private end(): void {
    this.isEndDue = false;
    this.number += 1;
    const { listeners } = this;
    this.listeners = new Set();
    for (const listener of listeners) listener.endTick();
  }
}
