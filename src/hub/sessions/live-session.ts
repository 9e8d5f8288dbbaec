/** A loaded session: its ledger, the keys it has accepted, and the tail of its log for delivery. */

import { checksOf, type Fault } from '../../core/decisions/accept-checks.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import { type Advanced, advance, type Decision, type Governance, refuse } from '../../core/decisions/advance.ts';
import type { Draft, Entry, Unit } from '../../core/records/session/envelope.ts';
import { asError, WireError } from '../../core/lib/errors.ts';
import type { Watch } from '../../core/ports/expectation.ts';
import type { KeyRecord } from '../../core/records/session/keys.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';
import type { HeadToken, Snapshot, Store } from '../../core/ports/store.ts';
import { type AcceptedKeys, recordUnder } from '../accepted-keys.ts';
import { type Backlog, storeFailed } from '../log/backlog.ts';
import { type Judgement, Ledger, type LedgerOwner } from '../log/staged-log.ts';
import type { HubParts } from '../parts.ts';
import { logPages } from '../log/read-pages.ts';
import { saveSnapshot, snapshotGrowth, snapshotOf } from '../snapshots.ts';
import type { Tally } from './visible-line-counts.ts';

/** A session as far as it is known when it comes into memory. */
export interface LoadedLog {
  readonly sessionId: string;
  readonly epoch: number;
  readonly adapter: CompleteAdapter | null;
  readonly watch: Watch | null;
  readonly unavailable: string | null;
  /** Nothing more may be appended: what comes after the damage is not known. */
  readonly damaged: boolean;
  /** What was appended without its adapter left a turn in the log that is not the adapter's. */
  readonly owesTurn: boolean;
  /** null = it is being created. */
  readonly state: SessionState | null;
  readonly token: HeadToken | null;
  readonly keys: AcceptedKeys;
  readonly tally: Tally;
  readonly tail: readonly Entry[];
  /** The seq of its newest snapshot; 0 = it has none. */
  readonly snapshotSeq: number;
}

/** What the sessions table does with what becomes durable. */
export type DurableSink = (session: LiveSession, entries: readonly Entry[], after: SessionState) => void;

type Check = (advanced: Advanced) => WireError | null;

export class LiveSession implements LedgerOwner<SessionState | null> {
  readonly logId: string;
  readonly epoch: number;
  readonly adapter: CompleteAdapter | null;
  /** What it expects; null = nothing, or that is not known. */
  readonly watch: Watch | null;
  readonly unavailable: string | null;
  readonly damaged: boolean;
  readonly owesTurn: boolean;
  /** The lines of what is durable, counted. */
  readonly tally: Tally;
  /** Something was asked of it since the last sweep. */
  used = true;
  /** It was put behind the others since then. */
  touched = false;
  private readonly parts: HubParts;
  private readonly sink: DurableSink;
  private readonly ledger: Ledger<SessionState | null>;
  private readonly keys: AcceptedKeys;
  private readonly governance: Governance;
  /** The last entries, those that are staged at its end. */
  private tail: Entry[];
  /** The last seq that was published. */
  private durableSeq: number;
  private snapshotSeq: number;
  /** An old key is being read; what is asked meanwhile waits, in order. Bounded by the requests a connection may have open. */
  private readingKey = false;
  private readonly behind: (() => void)[] = [];
  private reloading = false;
  /** Evaluators that failed on what is staged, to be told when that is durable. */
  private faults: Fault[] = [];

  constructor(parts: HubParts, loaded: LoadedLog, sink: DurableSink) {
    this.parts = parts;
    this.sink = sink;
    this.logId = loaded.sessionId;
    this.epoch = loaded.epoch;
    this.adapter = loaded.adapter;
    this.watch = loaded.watch;
    this.unavailable = loaded.unavailable;
    this.damaged = loaded.damaged;
    this.owesTurn = loaded.owesTurn;
    this.keys = loaded.keys;
    this.tally = loaded.tally;
    this.tail = [...loaded.tail];
    this.durableSeq = loaded.state?.head.seq ?? 0;
    this.snapshotSeq = loaded.snapshotSeq;
    this.governance = {
      adapter: loaded.adapter,
      epoch: loaded.epoch,
      watch: loaded.watch,
      checks: checksOf(loaded.watch, (fault) => this.faults.push(fault)),
      maxEnvelopes: parts.limits.maxEnvelopes,
      stamp: (last) => parts.stamper.next(last),
    };
    this.ledger = new Ledger<SessionState | null>(this, loaded.state, loaded.state, loaded.token);
  }

  get sessionId(): string {
    return this.logId;
  }

  /** The state everyone may see; null while the session is being created. */
  get durable(): SessionState | null {
    return this.ledger.durable;
  }

  get idle(): boolean {
    return this.ledger.idle && !this.readingKey;
  }

  /** Judges on the admitted state and carries the decision out. `decide` may be called again if another writer was first. */
  decide<T>(decide: (state: SessionState) => Decision<T>, check?: Check): Promise<T> {
    return this.inTurn(() => this.judge(decide, check));
  }

  /**
   * The same for a draft that may repeat a key. `earlier` is what was accepted under it, if that had to be read from the
   * log. Only then is anything waited for, and all that is asked of the session meanwhile waits behind it.
   */
  decideKeyed<T>(
    draft: Draft,
    decide: (state: SessionState, earlier?: KeyRecord) => Decision<T>,
    check?: Check,
  ): Promise<T> {
    this.used = true;
    const { sender_id, idempotency_key } = draft;
    if (!this.readingKey && !this.mustRead(sender_id, idempotency_key)) return this.judge(decide, check);
    return this.decideWhenRead(draft, decide, check);
  }

  private decideWhenRead<T>(
    { sender_id, idempotency_key: key }: Draft,
    decide: (state: SessionState, earlier?: KeyRecord) => Decision<T>,
    check?: Check,
  ): Promise<T> {
    return this.inTurn(() => {
      if (key === null || !this.mustRead(sender_id, key)) return this.judge(decide, check);
      return this.afterReading(this.readKey(sender_id, key), (earlier) =>
        this.judge((state) => decide(state, earlier), check),
      );
    });
  }

  /** The first unit. If the id turns out to be taken, nothing is written and the answer is `conflict`. */
  create(drafts: readonly Draft[]): Promise<SessionState> {
    return this.ledger.admit((state) => {
      if (state !== null) return refuse(new WireError('conflict', `session ${this.logId} exists`));
      return this.carryOut(null, { kind: 'append', drafts, answer: ({ after }) => after });
    });
  }

  /** What was accepted under a key, as far as it is in memory: staged, or in the tail. Admission reads it. */
  accepted(senderId: string, key: string | null): KeyRecord | undefined {
    if (key === null) return undefined;
    for (const seq of this.keys.placesOf(senderId, key)) {
      const record = recordUnder(this.tailEntry(seq)?.envelope, senderId, key);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** Durable entries from `fromSeq` on, if they are all in memory. */
  tailFrom(fromSeq: number): readonly Entry[] | null {
    const first = this.tail[0];
    if (first === undefined || first.envelope.seq > fromSeq) return null;
    return this.tail.slice(fromSeq - first.envelope.seq, this.durableLength());
  }

  /** Nobody asks for it: the tail can be read again. */
  rest(): void {
    this.tail = [];
  }

  /** Saves the durable state if the log has grown by so many entries since the last snapshot. */
  snapshot(grownBy: number): void {
    const state = this.durable;
    if (state === null || this.adapter === null || state.head.seq - this.snapshotSeq < grownBy) return;
    // One that cannot be saved is not tried again until the log has grown as much again.
    this.snapshotSeq = state.head.seq;
    saveSnapshot(this.parts, this.adapter, { state, keys: this.keys, tally: this.tally });
  }

  /** The durable state, to be kept whatever becomes of the log; null = it is not known, or cannot be kept. */
  pin(): Snapshot | null {
    const state = this.durable;
    return state === null || this.adapter === null
      ? null
      : snapshotOf(this.adapter, { state, keys: this.keys, tally: this.tally });
  }

  // What its ledger needs of it.

  get store(): Store {
    return this.parts.store;
  }

  get backlog(): Backlog {
    return this.parts.backlog;
  }

  onStaged({ entries }: Unit): void {
    this.keys.add(entries);
    for (const entry of entries) this.tail.push(entry);
    this.parts.inboxes.stage(entries, this.durable);
  }

  onDurable({ entries }: Unit, after: SessionState | null, _before: SessionState | null, text?: string): void {
    if (text !== undefined) this.parts.bindings.texts.know(entries, text);
    this.publish(entries, after);
  }

  onFailed(error: Error): void {
    this.parts.fail(error);
  }

  onLost(): void {
    this.parts.inboxes.unstageAll(this.logId);
    this.parts.sessions.drop(this.logId);
  }

  /** Another writer was first: its entries are folded and published like our own, and the keys of what was dropped go. */
  async reload(durable: SessionState | null): Promise<{ state: SessionState | null; token: HeadToken | null }> {
    this.keys.drop(this.tail.splice(this.durableLength()));
    this.parts.inboxes.unstageAll(this.logId);
    this.faults = [];
    const stored = await this.store.head(this.logId);
    if (stored === null && durable !== null)
      throw new WireError('internal', `session ${this.logId} is gone from the store`);
    if (stored === null) return { state: null, token: null };
    if (stored.damaged_from !== null) throw new WireError('internal', `session ${this.logId} is damaged`);
    // What waits is judged again on these entries, so all of them stay in memory until then.
    this.reloading = true;
    let state = durable;
    const from = (durable?.head.seq ?? 0) + 1;
    for await (const entries of logPages(this.store, this.logId, from, stored.head.seq)) {
      for (const { envelope, turn } of entries) {
        this.parts.stamper.observe(envelope.envelope_id);
        state = foldEnvelope(state, envelope, {
          adapter: this.adapter,
          epoch: this.epoch,
          watch: this.watch,
          recorded: turn,
        });
      }
      this.keys.add(entries);
      this.tail.push(...entries);
      this.publish(entries, state);
    }
    this.reloading = false;
    return { state, token: stored.token };
  }

  /** At once, unless something before it still reads. */
  private inTurn<T>(ask: () => Promise<T>): Promise<T> {
    this.used = true;
    if (!this.readingKey) return ask();
    return new Promise((resolve, reject) => this.behind.push(() => ask().then(resolve, reject)));
  }

  private afterReading<T>(
    read: Promise<KeyRecord | undefined>,
    ask: (earlier: KeyRecord | undefined) => Promise<T>,
  ): Promise<T> {
    this.readingKey = true;
    return new Promise<T>((resolve, reject) => {
      const goOn = (own: () => void): void => {
        this.readingKey = false;
        own();
        // One of them may have to read too: then the rest goes on waiting behind that one.
        while (!this.readingKey && this.behind.length > 0) this.behind.shift()?.();
      };
      read.then(
        (earlier) => goOn(() => void ask(earlier).then(resolve, reject)),
        (thrown: unknown) => goOn(() => reject(storeFailed(asError(thrown), 'refused'))),
      );
    });
  }

  private judge<T>(decide: (state: SessionState) => Decision<T>, check?: Check): Promise<T> {
    return this.ledger.admit((state) => {
      if (state === null) throw new WireError('internal', `session ${this.logId} is not created yet`);
      return this.carryOut(state, decide(state), check);
    });
  }

  private carryOut<T>(state: SessionState | null, decision: Decision<T>, check?: Check): Judgement<SessionState, T> {
    if (decision.kind !== 'append') return decision;
    if (this.damaged) return refuse(unavailableSession(this.logId, this.unavailable));
    const advanced = advance(state, decision.drafts, this.governance);
    const refusal = check?.(advanced) ?? null;
    if (refusal !== null) return refuse(refusal);
    const { entries, after } = advanced;
    const answer = decision.answer(advanced);
    return { kind: 'accept', unit: { entries, head: after.head }, after, answer };
  }

  private publish(entries: readonly Entry[], after: SessionState | null): void {
    if (after === null) return;
    const { tailLength, snapshotLength } = this.parts.limits;
    this.used = true;
    this.durableSeq = after.head.seq;
    if (this.tail.length > 2 * tailLength && !this.reloading) this.cutTail(tailLength);
    this.tally.count(entries);
    this.sink(this, entries, after);
    if (this.faults.length > 0) this.tellFaults(after.head.seq);
    // While another writer's entries are read on, the durable state is not yet theirs.
    if (!this.reloading) this.snapshot(snapshotGrowth(after.head.seq, snapshotLength));
  }

  private tellFaults(upToSeq: number): void {
    const due = this.faults.filter(({ seq }) => seq <= upToSeq);
    this.faults = this.faults.filter(({ seq }) => seq > upToSeq);
    for (const { watched, error } of due) this.parts.watching.faulty(this, watched, error);
  }

  /** What is staged stays: only the log would know it, and does not yet. */
  private cutTail(length: number): void {
    const durable = this.durableLength();
    if (durable > 2 * length) this.tail = this.tail.slice(durable - length);
  }

  /** How much of the tail is durable. */
  private durableLength(): number {
    const first = this.tail[0]?.envelope.seq ?? 0;
    return Math.max(0, Math.min(this.tail.length, this.durableSeq + 1 - first));
  }

  private tailEntry(seq: number): Entry | undefined {
    const first = this.tail[0];
    return first === undefined ? undefined : this.tail[seq - first.envelope.seq];
  }

  /** Nothing in memory has this key, and something that is not may have it. */
  private mustRead(senderId: string, key: string | null): boolean {
    if (key === null) return false;
    const places = this.keys.placesOf(senderId, key);
    if (places.length === 0) return false;
    return this.accepted(senderId, key) === undefined && this.unread(senderId, key).length > 0;
  }

  /** The seqs of entries that may have this key and are not in memory. */
  private unread(senderId: string, key: string): readonly number[] {
    return this.keys.placesOf(senderId, key).filter((seq) => this.tailEntry(seq) === undefined);
  }

  /** Of all that may have this key the one that has it. More may turn up while the first are read. */
  private async readKey(senderId: string, key: string): Promise<KeyRecord | undefined> {
    const read = new Set<number>();
    const next = () => this.unread(senderId, key).find((seq) => !read.has(seq));
    for (let seq = next(); seq !== undefined; seq = next()) {
      read.add(seq);
      const [entry] = await this.store.read(this.logId, { from_seq: seq, to_seq: seq, limit: 1 });
      if (entry === undefined) throw new WireError('internal', `log ${this.logId} has no entry ${seq}`);
      const record = recordUnder(entry.envelope, senderId, key);
      if (record !== undefined) return record;
    }
    return undefined;
  }
}

export function unavailableSession(sessionId: string, reason: string | null): WireError {
  return new WireError('unavailable', `session ${sessionId} is unavailable: ${reason}`, { outcome: 'refused' });
}
