/** A log of the hub's own that is small enough to be held folded: its fold is the book. The same laws as a session's log. */

import type { Draft, Entry, Unit } from '../../core/records/session/envelope.ts';
import { HUB_ID, PLAIN } from '../../core/records/session/envelope.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { HeadToken } from '../../core/ports/store.ts';
import { type Judge, type Judgement, Ledger } from './staged-log.ts';
import type { HubParts } from '../parts.ts';
import { logPages } from './read-pages.ts';

/** Where a book is in its log. */
export interface Page {
  readonly seq: number;
  readonly envelope_id: string | null;
}

export interface BookRules<Book extends Page> {
  readonly logId: string;
  /** For people: "the tokens". */
  readonly what: string;
  readonly empty: Book;
  /** Pure. */
  fold(book: Book, entry: Entry): Book;
  /** It is durable. */
  onDurable?(entry: Entry): void;
}

export class KeptBook<Book extends Page> {
  private readonly parts: HubParts;
  private readonly rules: BookRules<Book>;
  private ledger: Ledger<Book>;
  /** What comes from this seq on is not known, and no more can be written; null = all is well. */
  private damagedFrom: number | null = null;

  constructor(parts: HubParts, rules: BookRules<Book>) {
    this.parts = parts;
    this.rules = rules;
    this.ledger = this.makeLedger(rules.empty, null, null);
  }

  /** As far as it is durable. */
  get durable(): Book {
    return this.ledger.durable ?? this.rules.empty;
  }

  async start(): Promise<void> {
    const { logId, empty, what } = this.rules;
    const { store, log } = this.parts;
    let position = await store.position(logId);
    if (position === null) return;
    const book = await this.readOn(empty, position.seq).catch(async (thrown: unknown) => {
      // Damage may be found only when it is read; then the store says so from there on.
      position = await store.position(logId);
      if (position === null || position.damaged_from === null) throw thrown;
      return this.readOn(empty, position.seq);
    });
    this.damagedFrom = position.damaged_from;
    if (this.damagedFrom !== null) log.error(`${what} are damaged`, { damaged_from: this.damagedFrom });
    this.ledger = this.makeLedger(book, book, position.token);
  }

  admit<T>(judge: Judge<Book, T>): Promise<T> {
    if (this.damagedFrom === null) return this.ledger.admit(judge);
    const message = `${this.rules.what} are damaged from seq ${this.damagedFrom} on; nothing is written to them until they are repaired`;
    return Promise.reject(new WireError('unavailable', message, { outcome: 'refused' }));
  }

  /** One entry more, stamped, with what it is answered with. */
  write<T>(book: Book, event_type: string, event_data: JsonObject, answer: (entry: Entry) => T): Judgement<Book, T> {
    const stamp = this.parts.stamper.next(book.envelope_id);
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

  private fold(book: Book, entry: Entry): Book {
    const { seq, envelope_id } = entry.envelope;
    return { ...this.rules.fold(book, entry), seq, envelope_id };
  }

  private makeLedger(book: Book, durable: Book | null, token: HeadToken | null): Ledger<Book> {
    const owner = {
      logId: this.rules.logId,
      store: this.parts.store,
      backlog: this.parts.backlog,
      onStaged: () => {},
      onDurable: ({ entries }: Unit) => entries.forEach((entry) => void this.rules.onDurable?.(entry)),
      reload: (known: Book | null) => this.reload(known ?? this.rules.empty),
      onFailed: (error: Error) => this.parts.fail(error),
      onLost: (error: Error) => this.parts.fail(error),
    };
    return new Ledger(owner, book, durable, token);
  }

  /** Another writer was first: the log is read on. */
  private async reload(known: Book): Promise<{ state: Book; token: HeadToken | null }> {
    const position = await this.parts.store.position(this.rules.logId);
    if (position === null && known.seq > 0)
      throw new WireError('internal', `${this.rules.what} are gone from the store`);
    if (position === null) return { state: known, token: null };
    return { state: await this.readOn(known, position.seq), token: position.token };
  }

  private async readOn(from: Book, to_seq: number): Promise<Book> {
    let book = from;
    for await (const entries of logPages(this.parts.store, this.rules.logId, from.seq + 1, to_seq)) {
      for (const entry of entries) book = this.fold(book, entry);
      if (book.envelope_id !== null) this.parts.stamper.observe(book.envelope_id);
    }
    return book;
  }
}
