/** Holds a loaded session: its log, its accepted keys, and the tail of its entries for delivery. */

import { buildAcceptChecks, type EvaluatorFault } from '../../core/decisions/accept-checks.ts';
import { advance, type Governance } from '../../core/decisions/advance.ts';
import { type AppliedUnit, type Decision, refuse } from '../../core/decisions/decision.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { BoundExpectation, ExpectationSet } from '../../core/ports/expectation.ts';
import type { HeadToken, Snapshot, Store } from '../../core/ports/store.ts';
import type { Draft } from '../../core/records/session/envelope.ts';
import type { KeyRecord } from '../../core/records/session/keys.ts';
import type { Entry, Unit } from '../../core/records/session/unit.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';
import type { Backlog } from '../log/backlog.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLog } from '../log/read-pages.ts';
import { type Judgement, StagedLog, type StagedLogOwner } from '../log/staged-log.ts';
import { type AcceptedKeys, type KeyedLog, KeyLookup } from './accepted-keys.ts';
import { createSnapshot, saveSnapshot, snapshotGrowth } from './snapshots.ts';
import type { VisibleLineCounts } from './visible-line-counts.ts';

type LiveSessionNeeds = Pick<Ground, 'log' | 'limits' | 'store' | 'stamper' | 'backlog'>;

export interface LoadedLog {
  readonly sessionId: string;
  readonly epoch: number;
  readonly adapter: CompleteAdapter | null;
  readonly watch: ExpectationSet | null;
  readonly unavailable: string | null;
  /** If true, nothing may be appended: the entries after the damage are unknown. */
  readonly damaged: boolean;
  /** True if the log's turn differs from the adapter's, because entries were appended without the adapter. */
  readonly owesTurn: boolean;
  /** null while the session is being created. */
  readonly state: SessionState | null;
  readonly token: HeadToken | null;
  readonly keys: AcceptedKeys;
  readonly tally: VisibleLineCounts;
  readonly tail: readonly Entry[];
  /** The seq of the newest snapshot; 0 if none. */
  readonly snapshotSeq: number;
}

/** Notifies other rooms about loaded sessions. Every call is synchronous and must not throw. */
export interface SessionListener {
  /** The entries are admitted and being written; count them against inbox limits now. */
  staged(entries: readonly Entry[], durable: SessionState | null): void;
  dropped(sessionId: string): void;
  /** The entries are durable; called in seq order, before the answer. `text`: the unit as written, if the store reports it. */
  durable(session: LiveSession, entries: readonly Entry[], after: SessionState, text: string | undefined): void;
  faulty(session: LiveSession, watched: BoundExpectation, error: Error): void;
  /** The session was loaded; it is unavailable if damaged or without its adapter. */
  loaded(sessionId: string, isUnavailable: boolean): void;
  /** An extension was registered: sessions that lacked it may be available again. */
  registered(): void;
  failed(error: Error): void;
}

type Check = (advanced: AppliedUnit) => WireError | null;

export class LiveSession implements StagedLogOwner<SessionState | null>, KeyedLog {
  readonly logId: string;
  readonly epoch: number;
  readonly adapter: CompleteAdapter | null;
  /** The session's expectations; null if it has none or they are unknown. */
  readonly watch: ExpectationSet | null;
  readonly unavailable: string | null;
  readonly damaged: boolean;
  readonly owesTurn: boolean;
  /** Counts the visible lines of durable entries. */
  readonly tally: VisibleLineCounts;
  used = true;
  /** True if moved to the end of the usage order since the last sweep. */
  touched = false;
  private readonly needs: LiveSessionNeeds;
  private readonly listener: SessionListener;
  private readonly onGone: () => void;
  private readonly ledger: StagedLog<SessionState | null>;
  private readonly keys: AcceptedKeys;
  private readonly lookup: KeyLookup;
  private readonly governance: Governance;
  /** The last entries, staged ones included. */
  private tail: Entry[];
  private durableSeq: number;
  private snapshotSeq: number;
  private reloading = false;
  /** Evaluator failures on staged entries, reported once the entries are durable. */
  private faults: EvaluatorFault[] = [];

  /** `onGone` is called when the log could not be read again: the session must not be used any more. */
  constructor(needs: LiveSessionNeeds, loaded: LoadedLog, listener: SessionListener, onGone: () => void) {
    this.needs = needs;
    this.listener = listener;
    this.onGone = onGone;
    this.logId = loaded.sessionId;
    this.epoch = loaded.epoch;
    this.adapter = loaded.adapter;
    this.watch = loaded.watch;
    this.unavailable = loaded.unavailable;
    this.damaged = loaded.damaged;
    this.owesTurn = loaded.owesTurn;
    this.keys = loaded.keys;
    this.lookup = new KeyLookup(loaded.keys, this);
    this.tally = loaded.tally;
    this.tail = [...loaded.tail];
    this.durableSeq = loaded.state?.head.seq ?? 0;
    this.snapshotSeq = loaded.snapshotSeq;
    this.governance = {
      adapter: loaded.adapter,
      epoch: loaded.epoch,
      watch: loaded.watch,
      checks: buildAcceptChecks(loaded.watch, (fault) => this.faults.push(fault)),
      maxEnvelopes: needs.limits.maxEnvelopes,
      stamp: (last) => needs.stamper.next(last),
    };
    this.ledger = new StagedLog<SessionState | null>(this, loaded.state, loaded.state, loaded.token);
  }

  get sessionId(): string {
    return this.logId;
  }

  get durable(): SessionState | null {
    return this.ledger.durable;
  }

  get idle(): boolean {
    return this.ledger.idle && !this.lookup.isReading;
  }

  /** Decides on the admitted state and applies the decision. `decide` is called again if another writer was first. */
  decide<T>(decide: (state: SessionState) => Decision<T>, check?: Check): Promise<T> {
    return this.inTurn(() => this.judge(decide, check));
  }

  /** Like `decide`, for a draft that may repeat a key. `earlier`: the post accepted under it, if it had to be read from the log. */
  decideKeyed<T>(
    draft: Draft,
    decide: (state: SessionState, earlier?: KeyRecord) => Decision<T>,
    check?: Check,
  ): Promise<T> {
    this.used = true;
    const { lookup } = this;
    const { sender_id, idempotency_key: key } = draft;
    if (!lookup.isReading && !lookup.mustRead(sender_id, key)) return this.judge(decide, check);
    return this.inTurn(() => {
      if (key === null || !lookup.mustRead(sender_id, key)) return this.judge(decide, check);
      return lookup.readThen(sender_id, key, (earlier) => this.judge((state) => decide(state, earlier), check));
    });
  }

  /** Appends the first unit; rejects with `conflict` if the id is taken. */
  create(drafts: readonly Draft[]): Promise<SessionState> {
    return this.ledger.admit((state) => {
      if (state !== null) return refuse(new WireError('conflict', `session ${this.logId} exists`));
      return this.carryOut(null, { kind: 'append', drafts, answer: ({ after }) => after });
    });
  }

  /** The post accepted under a key, if it is staged or in the tail. */
  accepted(senderId: string, key: string | null): KeyRecord | undefined {
    return this.lookup.inMemory(senderId, key);
  }

  /** Durable entries from `fromSeq` on; null if not all are in memory. */
  tailFrom(fromSeq: number): readonly Entry[] | null {
    const first = this.tail[0];
    if (first === undefined || first.envelope.seq > fromSeq) return null;
    return this.tail.slice(fromSeq - first.envelope.seq, this.durableLength());
  }

  rest(): void {
    this.tail = [];
  }

  /** Saves the durable state if the log has grown by `grownBy` entries since the last snapshot. */
  snapshot(grownBy: number): void {
    const state = this.durable;
    if (state === null || this.adapter === null || state.head.seq - this.snapshotSeq < grownBy) return;
    // If saving fails, the next attempt is after the same growth.
    this.snapshotSeq = state.head.seq;
    saveSnapshot(this.needs, this.adapter, { state, keys: this.keys, tally: this.tally });
  }

  /** The durable state as a snapshot to pin; null if it is unknown or not JSON. */
  pin(): Snapshot | null {
    const state = this.durable;
    return state === null || this.adapter === null
      ? null
      : createSnapshot(this.adapter, { state, keys: this.keys, tally: this.tally });
  }

  // Members called by the StagedLog and the KeyLookup.

  get store(): Store {
    return this.needs.store;
  }

  get backlog(): Backlog {
    return this.needs.backlog;
  }

  /** The entry at `seq`; undefined if only the log has it. */
  entryAt(seq: number): Entry | undefined {
    const first = this.tail[0];
    return first === undefined ? undefined : this.tail[seq - first.envelope.seq];
  }

  onStaged({ entries }: Unit): void {
    this.keys.add(entries);
    for (const entry of entries) this.tail.push(entry);
    this.listener.staged(entries, this.durable);
  }

  onDurable({ entries }: Unit, after: SessionState | null, text?: string): void {
    this.publish(entries, after, text);
  }

  onFailed(error: Error): void {
    this.listener.failed(error);
  }

  onLost(): void {
    this.listener.dropped(this.logId);
    this.onGone();
  }

  /** On conflict: fold and publish the winner's entries, then release the idempotency keys of the dropped units. */
  async reload(durable: SessionState | null): Promise<{ state: SessionState | null; token: HeadToken | null }> {
    this.keys.drop(this.tail.splice(this.durableLength()));
    this.listener.dropped(this.logId);
    this.faults = [];
    const stored = await this.store.head(this.logId);
    if (stored === null && durable !== null)
      throw new WireError('internal', `session ${this.logId} is missing from the store`);
    if (stored === null) return { state: null, token: null };
    if (stored.damaged_from !== null) throw new WireError('internal', `session ${this.logId} is damaged`);
    // Waiting drafts are judged again on these entries, so all of them stay in memory until then.
    this.reloading = true;
    let state = durable;
    const from = (durable?.head.seq ?? 0) + 1;
    for await (const entries of iterateLog(this.store, this.logId, from, stored.head.seq)) {
      for (const { envelope, turn } of entries) {
        this.needs.stamper.observe(envelope.envelope_id);
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

  private inTurn<T>(ask: () => Promise<T>): Promise<T> {
    this.used = true;
    return this.lookup.inTurn(ask);
  }

  private judge<T>(decide: (state: SessionState) => Decision<T>, check?: Check): Promise<T> {
    return this.ledger.admit((state) => {
      if (state === null) throw new WireError('internal', `session ${this.logId} is not created yet`);
      return this.carryOut(state, decide(state), check);
    });
  }

  private carryOut<T>(state: SessionState | null, decision: Decision<T>, check?: Check): Judgement<SessionState, T> {
    if (decision.kind !== 'append') return decision;
    if (this.damaged) return refuse(unavailableSessionError(this.logId, this.unavailable));
    const advanced = advance(state, decision.drafts, this.governance);
    const refusal = check?.(advanced) ?? null;
    if (refusal !== null) return refuse(refusal);
    const { entries, after } = advanced;
    const answer = decision.answer(advanced);
    return { kind: 'accept', unit: { entries, head: after.head }, after, answer };
  }

  private publish(entries: readonly Entry[], after: SessionState | null, text?: string): void {
    if (after === null) return;
    const { tailLength, snapshotLength } = this.needs.limits;
    this.used = true;
    this.durableSeq = after.head.seq;
    if (this.tail.length > 2 * tailLength && !this.reloading) this.cutTail(tailLength);
    this.tally.count(entries);
    this.listener.durable(this, entries, after, text);
    if (this.faults.length > 0) this.reportFaults(after.head.seq);
    // While another writer's entries are read, the durable state does not contain them yet.
    if (!this.reloading) this.snapshot(snapshotGrowth(after.head.seq, snapshotLength));
  }

  private reportFaults(upToSeq: number): void {
    const due = this.faults.filter(({ seq }) => seq <= upToSeq);
    this.faults = this.faults.filter(({ seq }) => seq > upToSeq);
    for (const { watched, error } of due) this.listener.faulty(this, watched, error);
  }

  /** Shortens the tail, but keeps staged entries: the log does not have them yet. */
  private cutTail(length: number): void {
    const durable = this.durableLength();
    if (durable > 2 * length) this.tail = this.tail.slice(durable - length);
  }

  private durableLength(): number {
    const first = this.tail[0]?.envelope.seq ?? 0;
    return Math.max(0, Math.min(this.tail.length, this.durableSeq + 1 - first));
  }
}

export function unavailableSessionError(sessionId: string, reason: string | null): WireError {
  return new WireError('unavailable', `session ${sessionId} is unavailable: ${reason}`, { outcome: 'refused' });
}

/** Rejects changes to an unavailable session: only its adapter knows whose turn follows. */
export function requireAvailable<T>({ sessionId, unavailable }: LiveSession, decision: Decision<T>): Decision<T> {
  if (unavailable === null || decision.kind !== 'append') return decision;
  return refuse(unavailableSessionError(sessionId, unavailable));
}
