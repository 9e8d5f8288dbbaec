/**
 * Keeps unacked envelopes that do not count: a gap was sent for them, or the recipient's rule denies them. Stored as runs
 * of seqs by recipient and session, in memory only, until the recipient has acked past them.
 */

import type { GapReason } from '../../core/protocol/frames/frames.ts';
import { type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';

export type EnvelopeRef = Pick<Envelope, 'session_id' | 'seq' | 'sender_id'>;

/** Skipped envelopes, by reason. */
export class Skipped {
  readonly overflow: SkippedDeliveries = new SkippedDeliveries();
  readonly expired: SkippedDeliveries = new SkippedDeliveries();
  readonly denied: SkippedDeliveries = new SkippedDeliveries();

  /** Why a gap replaces the envelope; null if none does. */
  whyGone(agentId: string, ref: EnvelopeRef): GapReason | null {
    if (this.expired.has(agentId, ref)) return 'expired';
    return this.overflow.has(agentId, ref) ? 'overflow' : null;
  }

  has(agentId: string, ref: EnvelopeRef): boolean {
    return this.whyGone(agentId, ref) !== null || this.denied.has(agentId, ref);
  }

  passed(agentId: string, sessionId: string, seq: number): void {
    this.overflow.passed(agentId, sessionId, seq);
    this.expired.passed(agentId, sessionId, seq);
    this.denied.passed(agentId, sessionId, seq);
  }
}

interface Run {
  from: number;
  to: number;
}

interface Stream {
  runs: Run[];
  /** The run that the next skipped envelope extends; null if an envelope was kept since. */
  last: Run | null;
}

/** Maximum streams; each costs a few hundred bytes. */
const MAX_STREAMS = 10_000;

export class SkippedDeliveries {
  private readonly streams = new Map<string, Stream>();

  /** Runs also cover hub envelopes between skipped ones; those are never skipped. */
  has(agentId: string, { session_id, seq, sender_id }: EnvelopeRef): boolean {
    if (this.streams.size === 0 || sender_id === HUB_ID) return false;
    return this.stream(agentId, session_id)?.runs.some(({ from, to }) => from <= seq && seq <= to) ?? false;
  }

  /** Records the newest envelope of its session as skipped. */
  addNewest(agentId: string, { session_id, seq }: Envelope): void {
    const stream = this.begun(agentId, session_id);
    if (stream.last !== null) stream.last.to = seq;
    else {
      stream.last = { from: seq, to: seq };
      stream.runs.push(stream.last);
    }
  }

  /** Records the newest envelope of its session as kept, which ends the current run. */
  keepNewest(agentId: string, { session_id }: Envelope): void {
    const stream = this.streams.size === 0 ? undefined : this.stream(agentId, session_id);
    if (stream !== undefined) stream.last = null;
  }

  add(agentId: string, { session_id, seq }: EnvelopeRef): void {
    const stream = this.begun(agentId, session_id);
    const before = stream.runs.find((run) => run.to === seq - 1 && run !== stream.last);
    if (before !== undefined) before.to = seq;
    else stream.runs.push({ from: seq, to: seq });
  }

  /** Forgets the runs up to `seq`, because everything up to it is acked. */
  passed(agentId: string, sessionId: string, seq: number): void {
    const stream = this.streams.size === 0 ? undefined : this.stream(agentId, sessionId);
    if (stream === undefined) return;
    stream.runs = stream.runs.filter((run) => run.to > seq || run === stream.last);
    if (stream.runs.every((run) => run.to <= seq)) this.streams.delete(keyOf(agentId, sessionId));
  }

  /** Forgets the oldest stream if there are too many. Returns its agent and the most it may have skipped. */
  excess(): { readonly agentId: string; readonly most: number } | null {
    const [oldest] = this.streams.size > MAX_STREAMS ? this.streams : [];
    if (oldest === undefined) return null;
    const [key, { runs }] = oldest;
    this.streams.delete(key);
    return { agentId: key.split('\n')[0] ?? '', most: runs.reduce((sum, { from, to }) => sum + to + 1 - from, 0) };
  }

  private stream(agentId: string, sessionId: string): Stream | undefined {
    return this.streams.get(keyOf(agentId, sessionId));
  }

  private begun(agentId: string, sessionId: string): Stream {
    const stream = this.stream(agentId, sessionId) ?? { runs: [], last: null };
    this.streams.set(keyOf(agentId, sessionId), stream);
    return stream;
  }
}

function keyOf(agentId: string, sessionId: string): string {
  return `${agentId}\n${sessionId}`;
}
