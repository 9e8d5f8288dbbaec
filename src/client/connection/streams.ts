/** Tracks received envelopes: which are new, which are repeats, and whether one was lost. */

import type { GapFrame, NotifyFrame, ResumePoint } from '../../core/protocol/frames/frames.ts';

/** Number of ended sessions whose streams are kept to recognise late repeats; a few hundred bytes each. */
const ENDED_KEPT = 1000;

export type StreamFrame = NotifyFrame & { readonly prev_seq: number };

/** null if the frame must be ignored. */
export type ReceiveResult =
  | { readonly stream: Stream; readonly verdict: Exclude<ArrivalKind, 'lost'> }
  | { readonly verdict: 'lost' }
  | null;

/** All streams of the connection, and the binding their receipts are valid on. */
export class Streams {
  private readonly bySession = new Map<string, Stream>();
  /** Ended sessions, oldest first. */
  private readonly ended = new Set<string>();
  /** Sessions whose first frame was not the start of the stream, with the number of resumes. */
  private readonly headless = new Map<string, number>();
  /** True if the hub marks the start of each stream. */
  private marksStarts = false;
  /** The number of the binding; each hello begins a new one. */
  private binding = 0;
  /** True between hello and welcome: frames of the old binding are ignored, because the new one redelivers them. */
  private isGreeting = false;

  /** Returns the resume points for the hello being sent. */
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

  get unacked(): number {
    let count = 0;
    for (const stream of this.bySession.values()) count += stream.unacked;
    return count;
  }

  /** Drops the stream of a session if its history was rewritten. Returns true if it did. */
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

  /** True if the stream is unknown, this frame is not its start, and another resume may help. */
  private isHeadless({ envelope: { session_id }, prev_seq, starts }: StreamFrame): boolean {
    const isStart = !this.marksStarts || prev_seq === 0 || starts === true || this.bySession.has(session_id);
    const times = isStart ? 0 : (this.headless.get(session_id) ?? 0) + 1;
    const asksAgain = times > 0 && times <= MAX_RESUMES;
    if (asksAgain) this.headless.set(session_id, times);
    else this.headless.delete(session_id);
    return asksAgain;
  }

  /** A gap counts as seen, unless history was rewritten: then the same seqs are delivered again. */
  skip({ session_id, epoch, from_seq, to_seq, reason }: GapFrame): void {
    if (reason !== 'epoch' && !this.isGreeting) this.at(session_id, epoch, to_seq).skip(from_seq, to_seq);
  }

  /** Records a receipt. Returns true if it may be sent. */
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

  /** Resume points of all sessions except ended, fully acked ones. */
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
 * new = first delivery; again = repeat of a nacked one: handle it; handled = repeat of an acked one: only ack; waiting
 * = repeat of one being handled; lost = an earlier one is missing: drop it.
 */
type ArrivalKind = 'new' | 'again' | 'handled' | 'waiting' | 'lost';

interface Arrival {
  readonly seq: number;
  readonly prev_seq: number;
  /** The binding it arrived on: a receipt is valid only there. */
  readonly binding: number;
  readonly attempt: number;
}

/** An envelope without receipt. done = handled, but too late for a receipt on its binding. */
interface Open {
  readonly state: 'handling' | 'nacked' | 'done';
  readonly binding: number;
  readonly attempt: number;
}

/** After a nack of this attempt the hub gives up, which counts as acked. */
const LAST_ATTEMPT = 6;

/** Maximum resumes for one loss; if they do not help, the hub no longer has the envelope. */
const MAX_RESUMES = 5;

/** The stream of one session in one epoch. */
export class Stream {
  readonly epoch: number;
  /** Where the stream began for this client: nothing at or before this seq was received. */
  private readonly base: number;
  /** Everything deliverable from `base` to here was received. */
  private last: number;
  private readonly open = new Map<number, Open>();
  /** Seqs that were open at the last hello, so the new binding must redeliver them. */
  private owed = new Set<number>();
  /** The seq whose arrival revealed a loss, and how many times. */
  private hole: { readonly seq: number; readonly times: number } = { seq: 0, times: 0 };

  /** `base`: the `prev_seq` of the first arrival, which is the hub's cursor. */
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

  /** Records a receipt. Returns true if it is valid on this binding. */
  settle(seq: number, status: 'ack' | 'nack', binding: number): boolean {
    const open = this.open.get(seq);
    if (open === undefined) return false;
    const isGood = open.binding === binding;
    const isOver = status === 'ack' || open.attempt >= LAST_ATTEMPT;
    if (isOver && isGood) this.open.delete(seq);
    else this.open.set(seq, { ...open, state: isOver ? 'done' : 'nacked' });
    return isGood;
  }

  /** Records that the hub will not deliver this range. */
  skip(fromSeq: number, toSeq: number): void {
    this.last = Math.max(this.last, toSeq);
    for (const seq of this.owed) if (seq >= fromSeq && seq <= toSeq) this.giveUp(seq);
  }

  /** Number of deliveries without a receipt. */
  get unacked(): number {
    return [...this.open.values()].filter(({ state }) => state !== 'nacked').length;
  }

  get isSettled(): boolean {
    return this.open.size === 0;
  }

  /** The largest seq up to which everything is handled; null if there is none, or the start was not received. */
  resumePoint(): ResumePoint | null {
    const undone = [...this.open].filter(([, { state }]) => state !== 'done').map(([seq]) => seq - 1);
    const seq = Math.min(this.last, ...undone);
    return this.base === 0 && seq > 0 ? { seq, epoch: this.epoch } : null;
  }

  /** Call when sending a hello: its resume point acks the envelopes up to it; the hub redelivers the others. */
  greet(point: ResumePoint | undefined): void {
    for (const seq of this.open.keys()) if (seq <= (point?.seq ?? 0)) this.open.delete(seq);
    this.owed = new Set(this.open.keys());
  }

  /** True if an earlier envelope is missing, or was not redelivered on this binding. */
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
