/** What was received of one session in one epoch: which envelopes are new, which are repeats, and whether one was lost. */

import type { ResumePoint } from '../../core/protocol/frames/frame-codec.ts';

/**
 * new = not seen before; again = a repeat of one that was nacked: handle it once more; handled = a repeat of one that was
 * acked: only ack it; waiting = a repeat of one still being handled; lost = something before it is missing: drop it.
 */
export type Verdict = 'new' | 'again' | 'handled' | 'waiting' | 'lost';

export interface Arrival {
  readonly seq: number;
  readonly prev_seq: number;
  /** The number of the binding it came on: a receipt is good on that binding only. */
  readonly binding: number;
  /** Which delivery of the envelope this is. */
  readonly attempt: number;
}

/** An envelope the hub waits for a receipt of. Done = handled, but too late for a receipt on the binding it came on. */
interface Open {
  readonly state: 'handling' | 'nacked' | 'done';
  readonly binding: number;
  readonly attempt: number;
}

/** The delivery after whose nack the hub gives up: it counts as acked then. */
const LAST_ATTEMPT = 6;

/** So often a loss is asked about; if it is still there, the hub has nothing to fill it with. */
export const MOST_RESUMES = 5;

export class Stream {
  readonly epoch: number;
  /** What lies at or before it was never seen here. */
  private readonly base: number;
  /** Everything deliverable after `base` and up to here has been received. */
  private last: number;
  private readonly open = new Map<number, Open>();
  /** What was open at the last hello and has to come again on the new binding. */
  private owed = new Set<number>();
  /** The arrival that showed a loss, and how often it did. */
  private hole: { readonly seq: number; readonly times: number } = { seq: 0, times: 0 };

  /** The first arrival tells where the stream begins: the hub sends what follows its cursor. */
  constructor(epoch: number, base: number) {
    this.epoch = epoch;
    this.base = base;
    this.last = base;
  }

  receive(arrival: Arrival): Verdict {
    const { seq, binding, attempt } = arrival;
    if (this.showsLoss(arrival)) return 'lost';
    this.owed.delete(seq);
    const isKnown = seq > this.base && seq <= this.last;
    const state = this.open.get(seq)?.state;
    if (isKnown && state === undefined) return 'handled';
    if (isKnown && state === 'done') {
      this.open.delete(seq);
      return 'handled';
    }
    this.last = Math.max(this.last, seq);
    this.open.set(seq, { state: 'handling', binding, attempt });
    if (state === undefined) return 'new';
    return state === 'nacked' ? 'again' : 'waiting';
  }

  /** It was handled. True = a receipt is good on this binding. */
  settle(seq: number, status: 'ack' | 'nack', binding: number): boolean {
    const open = this.open.get(seq);
    if (open === undefined) return false;
    const isGood = open.binding === binding;
    const isOver = status === 'ack' || open.attempt >= LAST_ATTEMPT;
    if (isOver && isGood) this.open.delete(seq);
    else this.open.set(seq, { ...open, state: isOver ? 'done' : 'nacked' });
    return isGood;
  }

  /** The hub says that this range is gone. */
  skip(fromSeq: number, toSeq: number): void {
    this.last = Math.max(this.last, toSeq);
    for (const seq of this.owed) if (seq >= fromSeq && seq <= toSeq) this.giveUp(seq);
  }

  /** How many the hub waits for a receipt of; what was nacked it sends again by itself. */
  get unacked(): number {
    return [...this.open.values()].filter(({ state }) => state !== 'nacked').length;
  }

  get isSettled(): boolean {
    return this.open.size === 0;
  }

  /** The largest seq with everything up to it handled; null = nothing was, or the beginning was never seen here. */
  resumePoint(): ResumePoint | null {
    const undone = [...this.open].filter(([, { state }]) => state !== 'done').map(([seq]) => seq - 1);
    const seq = Math.min(this.last, ...undone);
    return this.base === 0 && seq > 0 ? { seq, epoch: this.epoch } : null;
  }

  /** A hello is being sent. What its resume point covers is acked by that; the rest comes again. */
  greet(point: ResumePoint | undefined): void {
    for (const seq of this.open.keys()) if (seq <= (point?.seq ?? 0)) this.open.delete(seq);
    this.owed = new Set(this.open.keys());
  }

  /** Something before it never came, or should have come again on this binding and did not. */
  private showsLoss({ seq, prev_seq }: Arrival): boolean {
    const overdue = [...this.owed].filter((owed) => owed <= prev_seq);
    if (prev_seq <= this.last && overdue.length === 0) return false;
    const times = this.hole.seq === seq ? this.hole.times + 1 : 1;
    this.hole = { seq, times };
    if (times <= MOST_RESUMES) return true;
    for (const gone of overdue) this.giveUp(gone);
    return false;
  }

  private giveUp(seq: number): void {
    this.owed.delete(seq);
    this.open.delete(seq);
  }
}
