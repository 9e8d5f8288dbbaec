/**
 * One observer of one session: every envelope of its log, in order, from a seq on. Live and replay are the same code. Nothing
 * is kept of it: no cursor, no receipts, and the session does not know.
 */

import type { Entry } from '../core/records/session/envelope.ts';
import { encodeNotify } from '../core/protocol/frames/frame-codec.ts';
import type { Head } from '../core/state/fold-head.ts';
import { isTerminal } from '../core/records/session/session.ts';
import type { HubParts } from './parts.ts';

const READ_BATCH = 128;
const READ_AGAIN_MS = 1000;

/** Where it is sent. */
export interface ObserverTarget {
  readonly agentId: string;
  readonly number: number;
  /** No more should be sent until what was sent has left. */
  readonly isHeldUp: boolean;
  send(text: string): void;
}

export class Observation {
  readonly sessionId: string;
  readonly target: ObserverTarget;
  private readonly parts: HubParts;
  private readonly over: (observation: Observation) => void;
  private epoch: number;
  /** Everything up to here was sent. */
  private sent: number;
  private headSeq: number;
  private ended: boolean;
  private begun = false;
  private reading = false;
  private stopped = false;

  /** `over` is called when the session has ended and everything of it was sent, or no more of it can be read. */
  constructor(
    parts: HubParts,
    target: ObserverTarget,
    { session_id, seq, state }: Pick<Head, 'session_id' | 'seq' | 'state'>,
    from: { readonly epoch: number; readonly afterSeq: number },
    over: (observation: Observation) => void,
  ) {
    this.parts = parts;
    this.target = target;
    this.sessionId = session_id;
    this.headSeq = seq;
    this.ended = isTerminal(state);
    this.epoch = from.epoch;
    this.sent = from.afterSeq;
    this.over = over;
  }

  get hasBegun(): boolean {
    return this.begun && !this.stopped;
  }

  /** Who asked has its answer: from now on envelopes may be sent. */
  begin(): void {
    this.begun = true;
    this.run();
  }

  /** There is more. `entries`: what just became durable. */
  wake({ seq, state }: Pick<Head, 'seq' | 'state'>, epoch: number, entries: readonly Entry[]): void {
    if (epoch !== this.epoch) this.startOver(epoch);
    this.headSeq = Math.max(this.headSeq, seq);
    this.ended ||= isTerminal(state);
    // What just became durable is at hand, and mostly all that is missing.
    if (this.hasBegun && !this.reading && this.sent + 1 === entries[0]?.envelope.seq) this.sendAll(entries);
    this.run();
  }

  /** The way is free again. */
  goOn(): void {
    this.run();
  }

  stop(): void {
    this.stopped = true;
    this.parts.retries.cancel(this.retryKey);
  }

  private run(): void {
    while (this.hasBegun && !this.reading && this.sent < this.headSeq) {
      if (this.target.isHeldUp) return;
      const entries = this.parts.sessions.peek(this.sessionId)?.tailFrom(this.sent + 1) ?? null;
      if (entries === null || entries.length === 0) return void this.readOn();
      this.sendAll(entries);
    }
    if (this.hasBegun && this.ended && !this.reading && this.sent >= this.headSeq) this.over(this);
  }

  private async readOn(): Promise<void> {
    this.reading = true;
    const { epoch } = this;
    const from_seq = this.sent + 1;
    try {
      const range = { from_seq, to_seq: this.headSeq, limit: READ_BATCH };
      const entries = await this.parts.store.read(this.sessionId, range);
      if (entries.length === 0) throw new Error(`no entry ${from_seq}`);
      this.reading = false;
      if (!this.stopped && epoch === this.epoch) this.sendAll(entries);
      this.run();
    } catch (thrown) {
      // Of a damaged log there is no more; everything else may pass.
      const stored = await this.parts.store.head(this.sessionId).catch(() => null);
      this.reading = false;
      if (this.stopped) return;
      this.parts.log.error('reading for an observer failed', { session_id: this.sessionId, error: String(thrown) });
      if (stored?.damaged_from != null) this.over(this);
      else this.parts.retries.schedule(this.retryKey, READ_AGAIN_MS, () => this.run());
    }
  }

  private sendAll(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { envelope, turn } = this.parts.redactions.shown(entry);
      // A send may have ended the connection, and with it this.
      if (this.stopped || this.target.isHeldUp || envelope.seq > this.headSeq) return;
      const frame = {
        recipient_id: this.target.agentId,
        observed: true,
        epoch: this.epoch,
        prev_seq: this.sent,
        turn,
      } as const;
      this.sent = envelope.seq;
      this.parts.meter.delivered += 1;
      this.target.send(encodeNotify(frame, this.parts.bindings.texts.of(envelope)));
    }
  }

  /** The past was rewritten: what was sent of it is no part of it. */
  private startOver(epoch: number): void {
    this.epoch = epoch;
    this.sent = 0;
    this.headSeq = 0;
  }

  private get retryKey(): string {
    return `observe\n${this.target.number}\n${this.sessionId}`;
  }
}
