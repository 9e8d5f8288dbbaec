/** What was received on one connection: which envelopes are new, which are repeats, and whether one was lost. */

import type { GapFrame, NotifyFrame, ResumePoint } from '../../core/protocol/frames/frames.ts';

/** Streams of ended sessions kept to know a late repeat by; one is some hundred bytes. */
const ENDED_KEPT = 1000;

/** A notify within the stream. */
export type StreamFrame = NotifyFrame & { readonly prev_seq: number };

/** null = it does not count. */
export type ReceiveResult =
  | { readonly stream: Stream; readonly verdict: Exclude<ArrivalKind, 'lost'> }
  | { readonly verdict: 'lost' }
  | null;

/** All streams of the connection, and the binding their receipts are good on. */
export class Streams {
  private readonly bySession = new Map<string, Stream>();
  /** Sessions that have ended, the longest ago first. */
  private readonly ended = new Set<string>();
  /** Sessions whose stream began with something else than its first, and how often that was asked about. */
  private readonly headless = new Map<string, number>();
  /** The hub marks where a stream starts. */
  private marksStarts = false;
  /** The number of the binding; a hello begins a new one. */
  private binding = 0;
  /** Between hello and welcome what arrives is of the old binding: it does not count, and comes again on the new one. */
  private isGreeting = false;

  /** A hello is being sent: what it claims to have. */
  greet(): Readonly<Record<string, ResumePoint>> {
    const points = this.resumePoints();
    for (const [sessionId, stream] of this.bySession) stream.greet(points[sessionId]);
    this.binding += 1;
    this.isGreeting = true;
    return points;
  }

  welcomed(marksStarts: boolean): void {
    this.isGreeting = false;
    this.marksStarts = marksStarts;
  }

  /** How many deliveries the hub waits for a receipt of, as far as is known here. */
  get unacked(): number {
    let count = 0;
    for (const stream of this.bySession.values()) count += stream.unacked;
    return count;
  }

  /** Forgets a session whose past was rewritten. True = something had been seen of it. */
  forgetOther(sessionId: string, epoch: number): boolean {
    const known = this.bySession.get(sessionId);
    if (known === undefined || known.epoch === epoch) return false;
    this.bySession.delete(sessionId);
    this.ended.delete(sessionId);
    return true;
  }

  receive(frame: StreamFrame): ReceiveResult {
    if (this.isGreeting) return null;
    if (this.isHeadless(frame)) return { verdict: 'lost' };
    const { envelope, epoch, prev_seq, attempt = 1 } = frame;
    const stream = this.at(envelope.session_id, epoch, prev_seq);
    const verdict = stream.receive({ seq: envelope.seq, prev_seq, binding: this.binding, attempt });
    return verdict === 'lost' ? { verdict } : { stream, verdict };
  }

  /** Nothing is known of its stream, and it is not where that starts. */
  private isHeadless({ envelope: { session_id }, prev_seq, starts }: StreamFrame): boolean {
    const isStart = !this.marksStarts || prev_seq === 0 || starts === true || this.bySession.has(session_id);
    const times = isStart ? 0 : (this.headless.get(session_id) ?? 0) + 1;
    const asksAgain = times > 0 && times <= MAX_RESUMES;
    if (asksAgain) this.headless.set(session_id, times);
    else this.headless.delete(session_id);
    return asksAgain;
  }

  /** What is gone counts as seen; but where the past was rewritten, the same seqs come again. */
  skip({ session_id, epoch, from_seq, to_seq, reason }: GapFrame): void {
    if (reason !== 'epoch' && !this.isGreeting) this.at(session_id, epoch, to_seq).skip(from_seq, to_seq);
  }

  /** It was handled. True = a receipt may be sent. */
  settle(sessionId: string, stream: Stream, seq: number, status: 'ack' | 'nack'): boolean {
    return stream.settle(seq, status, this.binding) && this.bySession.get(sessionId) === stream;
  }

  sessionEnded(sessionId: string): void {
    this.ended.delete(sessionId);
    this.ended.add(sessionId);
    for (const oldest of this.ended) {
      if (this.ended.size <= ENDED_KEPT) return;
      this.ended.delete(oldest);
      this.bySession.delete(oldest);
    }
  }

  /** Where each session is; what has ended and is acked needs no resuming. */
  resumePoints(): Readonly<Record<string, ResumePoint>> {
    const points: [string, ResumePoint][] = [];
    for (const [sessionId, stream] of this.bySession) {
      const point = stream.resumePoint();
      if (point !== null && !(stream.isSettled && this.ended.has(sessionId))) points.push([sessionId, point]);
    }
    return Object.fromEntries(points);
  }

  private at(sessionId: string, epoch: number, base: number): Stream {
    const known = this.bySession.get(sessionId);
    if (known !== undefined) return known;
    const stream = new Stream(epoch, base);
    this.bySession.set(sessionId, stream);
    return stream;
  }
}

/**
 * new = not seen before; again = a repeat of one that was nacked: handle it once more; handled = a repeat of one that was
 * acked: only ack it; waiting = a repeat of one still being handled; lost = something before it is missing: drop it.
 */
type ArrivalKind = 'new' | 'again' | 'handled' | 'waiting' | 'lost';

interface Arrival {
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
const MAX_RESUMES = 5;

/** One session in one epoch. */
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

  receive(arrival: Arrival): ArrivalKind {
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
    if (times <= MAX_RESUMES) return true;
    for (const gone of overdue) this.giveUp(gone);
    return false;
  }

  private giveUp(seq: number): void {
    this.owed.delete(seq);
    this.open.delete(seq);
  }
}
