/** The streams of one connection, and the binding their receipts are good on. */

import type { GapFrame, NotifyFrame, ResumePoint } from '../core/protocol/frames/frame-codec.ts';
import { MOST_RESUMES, Stream, type Verdict } from './connection/streams.ts';

/** Streams of ended sessions kept to know a late repeat by; one is some hundred bytes. */
const ENDED_KEPT = 1000;

/** A notify within the stream. */
export type StreamFrame = NotifyFrame & { readonly prev_seq: number };

/** null = it does not count. */
export type Received =
  | { readonly stream: Stream; readonly verdict: Exclude<Verdict, 'lost'> }
  | { readonly verdict: 'lost' }
  | null;

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

  receive(frame: StreamFrame): Received {
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
    const asksAgain = times > 0 && times <= MOST_RESUMES;
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
