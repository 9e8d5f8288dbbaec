/** Manages a hub log that is small enough to keep its fold in memory. It follows the same rules as a session log. */

import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { HeadToken } from '../../core/ports/store.ts';
import { type Draft, HUB_ID, PLAIN } from '../../core/records/session/envelope.ts';
import type { Stamp } from '../../core/records/session/stamp.ts';
import type { Entry, Unit } from '../../core/records/session/unit.ts';
import type { Ground } from './ground.ts';
import { iterateLog } from './read-pages.ts';
import { type Judge, type Judgement, StagedLog } from './staged-log.ts';

type HubLogGround = Pick<Ground, 'log' | 'store' | 'stamper' | 'backlog' | 'fail'>;

export interface HubLogState {
  readonly seq: number;
  readonly envelope_id: string | null;
}

interface HubLogOptions<Book extends HubLogState> {
  readonly logId: string;
  /** Noun for messages, such as "the tokens". */
  readonly what: string;
  readonly empty: Book;
  fold(book: Book, entry: Entry): Book;
  /** Called for each staged or read entry, for state outside the fold. The log is durable up to `durableSeq`. */
  onTaken?(entry: Entry, durableSeq: number): void;
  /** Called when the entries staged after `durableSeq` were dropped. */
  onDropped?(durableSeq: number): void;
  onDurable?(entry: Entry): void;
}

export class HubLog<Book extends HubLogState> {
  private readonly ground: HubLogGround;
  private readonly rules: HubLogOptions<Book>;
  private ledger: StagedLog<Book>;
  /** Entries from this seq on are lost and nothing more can be written; null if the log is intact. */
  private damagedFrom: number | null = null;

  constructor(ground: HubLogGround, rules: HubLogOptions<Book>) {
    this.ground = ground;
    this.rules = rules;
    this.ledger = this.makeLedger(rules.empty, null, null);
  }

  get durable(): Book {
    return this.ledger.durable ?? this.rules.empty;
  }

  async start(): Promise<void> {
    const { logId, empty, what } = this.rules;
    const { store, log } = this.ground;
    let position = await store.position(logId);
    if (position === null) return;
    // At the start nobody reads older versions, so treat all entries as durable.
    const readAll = (upTo: number): Promise<Book> => this.readOn(empty, upTo, Number.POSITIVE_INFINITY);
    const book = await readAll(position.seq).catch(async (thrown: unknown) => {
      // The store may find damage only on reading; its position then says where the damage starts.
      position = await store.position(logId);
      if (position === null || position.damaged_from === null) throw thrown;
      return readAll(position.seq);
    });
    this.damagedFrom = position.damaged_from;
    if (this.damagedFrom !== null) log.error(`${what} are damaged`, { damaged_from: this.damagedFrom });
    this.ledger = this.makeLedger(book, book, position.token);
  }

  admit<T>(judge: Judge<Book, T>): Promise<T> {
    if (this.damagedFrom === null) return this.ledger.admit(judge);
    const message = `${this.rules.what} are damaged from seq ${this.damagedFrom} on; they accept no writes until they are repaired`;
    return Promise.reject(new WireError('unavailable', message, { outcome: 'refused' }));
  }

  /** Builds a judgement that appends one stamped entry; `answer` makes the result from that entry. */
  write<T>(
    book: Book,
    event_type: string,
    event_data: JsonObject,
    answer: (entry: Entry) => T,
    stamp: Stamp = this.stampAfter(book),
  ): Judgement<Book, T> {
    const draft: Draft = {
      session_id: this.rules.logId,
      sender_id: HUB_ID,
      audience: [],
      event_type,
      event_data,
      ...PLAIN,
    };
    const entry: Entry = { envelope: { ...draft, ...stamp, seq: book.seq + 1, depth: 0 }, turn: null };
    return { kind: 'accept', unit: { entries: [entry] }, after: this.fold(book, entry), answer: answer(entry) };
  }

  /** Returns the next stamp, for an entry whose data contains its own time. */
  stampAfter({ envelope_id }: HubLogState): Stamp {
    return this.ground.stamper.next(envelope_id);
  }

  private fold(book: Book, entry: Entry): Book {
    const { seq, envelope_id } = entry.envelope;
    return { ...this.rules.fold(book, entry), seq, envelope_id };
  }

  private makeLedger(book: Book, durable: Book | null, token: HeadToken | null): StagedLog<Book> {
    const owner = {
      logId: this.rules.logId,
      store: this.ground.store,
      backlog: this.ground.backlog,
      onStaged: ({ entries }: Unit) => entries.forEach((entry) => void this.rules.onTaken?.(entry, this.durable.seq)),
      onDurable: ({ entries }: Unit) => entries.forEach((entry) => void this.rules.onDurable?.(entry)),
      reload: (known: Book | null) => this.reload(known ?? this.rules.empty),
      onFailed: (error: Error) => this.ground.fail(error),
      onLost: (error: Error) => this.ground.fail(error),
    };
    return new StagedLog(owner, book, durable, token);
  }

  private async reload(known: Book): Promise<{ state: Book; token: HeadToken | null }> {
    this.rules.onDropped?.(known.seq);
    const position = await this.ground.store.position(this.rules.logId);
    if (position === null && known.seq > 0)
      throw new WireError('internal', `${this.rules.what} are missing from the store`);
    if (position === null) return { state: known, token: null };
    return { state: await this.readOn(known, position.seq, known.seq), token: position.token };
  }

  private async readOn(from: Book, to_seq: number, durableSeq: number): Promise<Book> {
    let book = from;
    for await (const entries of iterateLog(this.ground.store, this.rules.logId, from.seq + 1, to_seq)) {
      for (const entry of entries) {
        this.rules.onTaken?.(entry, durableSeq);
        book = this.fold(book, entry);
      }
      if (book.envelope_id !== null) this.ground.stamper.observe(book.envelope_id);
    }
    return book;
  }
}
