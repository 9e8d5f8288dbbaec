/** Reads one log forward for one stream. Live and replay are the same code: from memory while that has the entries, else from the store. */

import type { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { extractSingleEnvelope, serializeEnvelope } from '../../core/state/serialize.ts';
import type { Ground } from '../log/ground.ts';
import type { Sessions } from '../sessions/sessions.ts';

const READ_BATCH = 128;
const READ_AGAIN_MS = 1000;

export interface LogReaderNeeds extends Pick<Ground, 'log' | 'retries'> {
  readonly store: Pick<Store, 'read' | 'head'>;
  readonly sessions: Pick<Sessions, 'peek'>;
  /** Limits the streams that read from the store at the same time. */
  readonly reads: ConcurrencyLimit;
}

/** The stream a log is read for. */
export interface LogStream {
  readonly sessionId: string;
  /** The first seq it lacks. */
  readonly nextSeq: number;
  /** The last seq it may have now. */
  readonly lastSeq: number;
  /** False while nothing more may be sent. */
  readonly canTake: boolean;
  /** Names the stream among retries, and in the log. */
  readonly retryKey: string;
  readonly purpose: string;
  /** Takes entries from `nextSeq` on, as many as it can. */
  take(entries: readonly Entry[]): void;
  /** It has everything up to `lastSeq`. */
  caughtUp(): void;
  /** The log is damaged from this seq on: no more of it can be read. */
  damaged(fromSeq: number): void;
}

export class LogReader {
  private readonly needs: LogReaderNeeds;
  private readonly stream: LogStream;
  private busy = false;
  private stopped = false;
  /** Counts rewrites of the past: what was read before one is discarded. */
  private past = 0;

  constructor(needs: LogReaderNeeds, stream: LogStream) {
    this.needs = needs;
    this.stream = stream;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** It reads, or is paused. */
  get isBusy(): boolean {
    return this.busy;
  }

  /** Takes what just became durable: it is at hand, and mostly all that is missing. */
  wake(entries: readonly Entry[]): void {
    if (this.stream.nextSeq === entries[0]?.envelope.seq && !this.stopped && !this.busy) this.stream.take(entries);
    this.run();
  }

  run(): void {
    const { stream } = this;
    while (!this.stopped && !this.busy && stream.nextSeq <= stream.lastSeq) {
      if (!stream.canTake) return;
      const entries = this.needs.sessions.peek(stream.sessionId)?.tailFrom(stream.nextSeq) ?? null;
      if (entries === null || entries.length === 0) return void this.readOn();
      stream.take(entries);
    }
    if (!this.stopped && !this.busy) stream.caughtUp();
  }

  /** Nothing is taken until `resume`. */
  pause(): void {
    this.busy = true;
  }

  resume(): void {
    this.busy = false;
  }

  /** The past was rewritten. */
  restart(): void {
    this.past += 1;
  }

  stop(): void {
    this.stopped = true;
    this.needs.retries.cancel(this.stream.retryKey);
  }

  /** While it waits to read it holds nothing but its place; a stream that has stopped by then is not read for. */
  private async readOn(): Promise<void> {
    this.busy = true;
    await this.needs.reads.run(async () => {
      if (this.stopped) this.busy = false;
      else await this.readNext();
    });
  }

  private async readNext(): Promise<void> {
    const { past, stream } = this;
    const { store, log, retries } = this.needs;
    try {
      const range = { from_seq: stream.nextSeq, to_seq: stream.lastSeq, limit: READ_BATCH };
      const entries = await store.read(stream.sessionId, range);
      if (entries.length === 0) throw new Error(`no entry ${range.from_seq}`);
      this.busy = false;
      if (this.stopped) return;
      if (past === this.past) stream.take(entries);
      this.run();
    } catch (thrown) {
      // A damaged log has no more entries; every other failure may pass.
      const stored = await store.head(stream.sessionId).catch(() => null);
      this.busy = false;
      if (this.stopped) return;
      log.error(`reading for ${stream.purpose} failed`, { session_id: stream.sessionId, error: String(thrown) });
      const damagedFrom = stored?.damaged_from ?? null;
      if (damagedFrom !== null) stream.damaged(damagedFrom);
      else retries.schedule(stream.retryKey, READ_AGAIN_MS, () => this.run());
    }
  }
}

/** The JSON text of the envelope that is being sent: it goes to all its recipients one after the other, and is written once. */
export class EnvelopeTexts {
  private last: Envelope | null = null;
  private text = '';
  /** The text that `last` is in, as the store has it; null = it was taken out of it. */
  private unit: string | null = null;

  /** What was just written, and mostly goes to somebody now. */
  know(entries: readonly Entry[], unit: string): void {
    const [only] = entries;
    if (entries.length !== 1 || only === undefined) return;
    this.last = only.envelope;
    this.unit = unit;
  }

  of(envelope: Envelope): string {
    if (envelope !== this.last) {
      this.text = serializeEnvelope(envelope);
      this.last = envelope;
    } else if (this.unit !== null) {
      this.text = extractSingleEnvelope(this.unit);
    }
    this.unit = null;
    return this.text;
  }
}
