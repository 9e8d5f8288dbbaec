/** Reads one log forward for one stream: from memory if the entries are there, else from the store. */

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
  readonly reads: ConcurrencyLimit;
}

export interface LogStream {
  readonly sessionId: string;
  /** The first seq the stream has not taken. */
  readonly nextSeq: number;
  readonly lastSeq: number;
  readonly canTake: boolean;
  /** Identifies the stream: `retryKey` among retries, `purpose` in log messages. */
  readonly retryKey: string;
  readonly purpose: string;
  /** Takes as many of the entries as possible; the first one has seq `nextSeq`. */
  take(entries: readonly Entry[]): void;
  /** Called when the stream has taken everything up to `lastSeq`. */
  caughtUp(): void;
  damaged(fromSeq: number): void;
}

export class LogReader {
  private readonly needs: LogReaderNeeds;
  private readonly stream: LogStream;
  private busy = false;
  private stopped = false;
  /** Number of epoch changes. Entries whose read started before the last change are discarded. */
  private past = 0;

  constructor(needs: LogReaderNeeds, stream: LogStream) {
    this.needs = needs;
    this.stream = stream;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** True while a read runs or the stream is paused. */
  get isBusy(): boolean {
    return this.busy;
  }

  /** Passes new durable entries on directly if they are the next ones (the usual case), then reads what is missing. */
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

  pause(): void {
    this.busy = true;
  }

  resume(): void {
    this.busy = false;
  }

  /** Called when the log has a new epoch. */
  restart(): void {
    this.past += 1;
  }

  stop(): void {
    this.stopped = true;
    this.needs.retries.cancel(this.stream.retryKey);
  }

  /** Queues a read: a waiting stream holds no entries in memory, and nothing is read for a stopped one. */
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
      // A damaged log has no more entries; any other failure may be temporary.
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

/** Serializes an envelope once for all its recipients, by caching the last one. */
export class EnvelopeTexts {
  private last: Envelope | null = null;
  private text = '';
  /** The stored text that contains `last`; null if it was extracted or is unknown. */
  private unit: string | null = null;

  /** Notes the stored text of a unit with one entry; it is usually sent next. */
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
