/**
 * Envelopes that are not acked and not counted: a gap was sent for them, or their recipient's rule denies them. Kept by recipient
 * and session, as runs of seqs, until the recipient has acked past them. In memory alone: after a restart nothing was skipped.
 */

import type { GapReason } from '../../core/protocol/frames/frames.ts';
import { type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';

/** Which envelope is meant, and whose it is. */
export type EnvelopeRef = Pick<Envelope, 'session_id' | 'seq' | 'sender_id'>;

/** What is skipped, by the reason. */
export class Skipped {
  readonly overflow: SkippedDeliveries = new SkippedDeliveries();
  readonly expired: SkippedDeliveries = new SkippedDeliveries();
  readonly denied: SkippedDeliveries = new SkippedDeliveries();

  /** Why a gap is sent for it: its inbox was full, or it expired; null = none is. */
  whyGone(agentId: string, ref: EnvelopeRef): GapReason | null {
    if (this.expired.has(agentId, ref)) return 'expired';
    return this.overflow.has(agentId, ref) ? 'overflow' : null;
  }

  has(agentId: string, ref: EnvelopeRef): boolean {
    return this.whyGone(agentId, ref) !== null || this.denied.has(agentId, ref);
  }

  /** Everything up to `seq` is acked. */
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
  /** The run that what comes next belongs to, if it is skipped too; null = something was kept since. */
  last: Run | null;
}

/** Some hundred bytes each. */
const MAX_STREAMS = 10_000;

export class SkippedDeliveries {
  private readonly streams = new Map<string, Stream>();

  /** Runs go over what the hub says between: that is never skipped. */
  has(agentId: string, { session_id, seq, sender_id }: EnvelopeRef): boolean {
    if (this.streams.size === 0 || sender_id === HUB_ID) return false;
    return this.stream(agentId, session_id)?.runs.some(({ from, to }) => from <= seq && seq <= to) ?? false;
  }

  /** The newest of its session is skipped. */
  addNewest(agentId: string, { session_id, seq }: Envelope): void {
    const stream = this.begun(agentId, session_id);
    if (stream.last !== null) stream.last.to = seq;
    else {
      stream.last = { from: seq, to: seq };
      stream.runs.push(stream.last);
    }
  }

  /** The newest of its session is kept. */
  keepNewest(agentId: string, { session_id }: Envelope): void {
    const stream = this.streams.size === 0 ? undefined : this.stream(agentId, session_id);
    if (stream !== undefined) stream.last = null;
  }

  /** Any that was not skipped yet. */
  add(agentId: string, { session_id, seq }: EnvelopeRef): void {
    const stream = this.begun(agentId, session_id);
    const before = stream.runs.find((run) => run.to === seq - 1 && run !== stream.last);
    if (before !== undefined) before.to = seq;
    else stream.runs.push({ from: seq, to: seq });
  }

  /** Everything up to `seq` is acked. */
  passed(agentId: string, sessionId: string, seq: number): void {
    const stream = this.streams.size === 0 ? undefined : this.stream(agentId, sessionId);
    if (stream === undefined) return;
    stream.runs = stream.runs.filter((run) => run.to > seq || run === stream.last);
    if (stream.runs.every((run) => run.to <= seq)) this.streams.delete(keyOf(agentId, sessionId));
  }

  /** The stream that was begun longest ago, if there are too many: it is forgotten. Says whose it was, and how many it skipped at most. */
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
