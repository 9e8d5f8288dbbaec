/** Keeps all redactions in one log and finds them by envelope. Every reader must show entries through `shown`. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { RedactionRecord, Snapshot } from '../../core/ports/store.ts';
import type { Envelope, Redaction } from '../../core/records/session/envelope.ts';
import { REDACTED_EVENT, REDACTIONS_LOG, tombstone } from '../../core/records/session/redaction.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { Counter } from '../lib/counter.ts';
import type { Ground } from '../log/ground.ts';
import { HubLog, type HubLogState } from '../log/hub-log.ts';
import type { Judge } from '../log/staged-log.ts';

export interface RedactedEnvelope extends Redaction {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  /** Seq of the pinned state in the log of redactions; null if none. */
  readonly pinnedAt: number | null;
}

export interface RedactionLogState extends HubLogState {
  /** Shared by all versions of this state; a version contains only the first `count` elements. */
  readonly all: RedactedEnvelope[];
  readonly count: number;
}

export class Redactions {
  private readonly ground: Ground;
  private readonly book: HubLog<RedactionLogState>;
  private readonly byEnvelope = new Map<string, RedactedEnvelope>();
  private readonly counts = new Counter<string>();
  private readonly pins = new Map<string, number>();
  /** How many durable redactions the maps contain. */
  private indexed = 0;

  constructor(ground: Ground) {
    this.ground = ground;
    this.book = new HubLog<RedactionLogState>(ground, {
      logId: REDACTIONS_LOG,
      what: 'the redactions',
      empty: { seq: 0, envelope_id: null, all: [], count: 0 },
      fold: foldRedactions,
      onDurable: ({ envelope }) => this.announce(envelope),
    });
  }

  start(): Promise<void> {
    return this.book.start();
  }

  /** The entry as it may be shown. Costs nothing if no envelope was ever redacted. */
  shown(entry: Entry): Entry {
    if (this.book.durable.count === 0) return entry;
    const redacted = this.of(entry.envelope);
    return redacted === undefined ? entry : { ...entry, envelope: tombstone(entry.envelope, redacted) };
  }

  readonly allShown = (entries: readonly Entry[]): readonly Entry[] =>
    this.book.durable.count === 0 ? entries : entries.map((entry) => this.shown(entry));

  of({ envelope_id }: Pick<Envelope, 'envelope_id'>): RedactedEnvelope | undefined {
    this.index();
    return this.byEnvelope.get(envelope_id);
  }

  inSession(sessionId: string): readonly RedactedEnvelope[] {
    const { all, count } = this.book.durable;
    return all.slice(0, count).filter(({ session_id }) => session_id === sessionId);
  }

  countIn(sessionId: string): number {
    this.index();
    return this.counts.get(sessionId);
  }

  /** The number of redactions. Text rendered before the newest one may show redacted content. */
  get count(): number {
    return this.book.durable.count;
  }

  /** Judges see staged redactions, so that concurrent requests write a redaction only once. */
  admit<T>(judge: Judge<RedactionLogState, T>): Promise<T> {
    return this.book.admit(judge);
  }

  write<T>(book: RedactionLogState, record: RedactionRecord, answer: T): ReturnType<Judge<RedactionLogState, T>> {
    // A record is JSON; its interfaces only lack an index signature.
    return this.book.write(book, REDACTED_EVENT, record as unknown as JsonObject, () => answer);
  }

  /** The newest state pinned for a session; null if none was pinned. */
  async pinOf(sessionId: string): Promise<Snapshot | null> {
    this.index();
    const seq = this.pins.get(sessionId);
    if (seq === undefined) return null;
    const [entry] = await this.ground.store.read(REDACTIONS_LOG, { from_seq: seq, to_seq: seq, limit: 1 });
    return entry === undefined ? null : recordIn(entry.envelope).pin;
  }

  private index(): void {
    const { all, count } = this.book.durable;
    for (; this.indexed < count; this.indexed++) {
      const redacted = all[this.indexed];
      if (redacted === undefined) continue;
      this.byEnvelope.set(redacted.envelope_id, redacted);
      this.counts.add(redacted.session_id);
      if (redacted.pinnedAt !== null) this.pins.set(redacted.session_id, redacted.pinnedAt);
    }
  }

  private announce(envelope: Envelope): void {
    const { session_id, seq, envelope_id, by, reason, digest } = recordIn(envelope);
    this.ground.events.emit('envelopeRedacted', { session_id, seq, envelope_id, by, reason, digest });
  }
}

export function findRedaction({ all, count }: RedactionLogState, envelopeId: string): RedactedEnvelope | undefined {
  for (let i = count - 1; i >= 0; i--) if (all[i]?.envelope_id === envelopeId) return all[i];
  return undefined;
}

function foldRedactions(book: RedactionLogState, { envelope }: Entry): RedactionLogState {
  const { pin, ...record } = recordIn(envelope);
  // Records after this version were staged and may have been dropped.
  const all = book.all.length === book.count ? book.all : book.all.slice(0, book.count);
  all.push({ ...record, pinnedAt: pin === null ? null : envelope.seq });
  return { ...book, all, count: book.count + 1 };
}

/** Written by this file; the store verifies checksums, not schemas. */
function recordIn({ event_data }: Envelope): RedactionRecord {
  return event_data as unknown as RedactionRecord;
}
