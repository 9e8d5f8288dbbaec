/** A loaded session: its ledger, the keys it has accepted, and the tail of its log for delivery. */

import type { CompleteAdapter } from '../core/adapter.ts';
import { type Advanced, advance, type Decision, type Governance, refuse } from '../core/advance.ts';
import type { Draft, Entry, Unit } from '../core/envelope.ts';
import { WireError } from '../core/errors.ts';
import { type KeyRecord, keyName, rememberKey } from '../core/keys.ts';
import { foldEnvelope, type SessionState } from '../core/state.ts';
import type { HeadToken } from '../core/store.ts';
import { type Judgement, Ledger } from './ledger.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './read-pages.ts';

/** A session as far as it is known when it comes into memory. */
export interface LoadedLog {
  readonly sessionId: string;
  readonly epoch: number;
  readonly adapter: CompleteAdapter | null;
  readonly unavailable: string | null;
  /** null = it is being created. */
  readonly state: SessionState | null;
  readonly token: HeadToken | null;
  readonly keys: Map<string, KeyRecord>;
  readonly tail: readonly Entry[];
}

/** What the sessions table does with what becomes durable. */
export type DurableSink = (session: LiveSession, entries: readonly Entry[], after: SessionState) => void;

export class LiveSession {
  readonly sessionId: string;
  readonly epoch: number;
  readonly adapter: CompleteAdapter | null;
  readonly unavailable: string | null;
  private readonly keys: Map<string, KeyRecord>;
  private readonly parts: HubParts;
  private readonly sink: DurableSink;
  private readonly ledger: Ledger<SessionState | null>;
  private tail: Entry[];

  constructor(parts: HubParts, loaded: LoadedLog, sink: DurableSink) {
    this.parts = parts;
    this.sink = sink;
    this.sessionId = loaded.sessionId;
    this.epoch = loaded.epoch;
    this.adapter = loaded.adapter;
    this.unavailable = loaded.unavailable;
    this.keys = loaded.keys;
    this.tail = [...loaded.tail];
    const owner = {
      logId: loaded.sessionId,
      store: parts.store,
      backlog: parts.backlog,
      onDurable: (unit: Unit, after: SessionState | null) => this.publish(unit.entries, after),
      reload: (durable: SessionState | null) => this.reload(durable),
      onFailed: (error: Error) => parts.fail(error),
      onLost: () => parts.sessions.drop(loaded.sessionId),
    };
    this.ledger = new Ledger<SessionState | null>(owner, loaded.state, loaded.state, loaded.token);
  }

  /** The state everyone may see; null while the session is being created. */
  get durable(): SessionState | null {
    return this.ledger.durable;
  }

  get idle(): boolean {
    return this.ledger.idle;
  }

  whenIdle(): Promise<void> {
    return this.ledger.whenIdle();
  }

  /** Judges on the admitted state and carries the decision out. `decide` may be called again if another writer was first. */
  decide<T>(
    decide: (state: SessionState) => Decision<T>,
    check?: (advanced: Advanced) => WireError | null,
  ): Promise<T> {
    return this.ledger.admit((state) => {
      if (state === null) throw new WireError('internal', `session ${this.sessionId} is not created yet`);
      return this.carryOut(state, decide(state), check);
    });
  }

  /** The first unit. If the id turns out to be taken, nothing is written and the answer is `conflict`. */
  create(drafts: readonly Draft[]): Promise<SessionState> {
    return this.ledger.admit((state) => {
      if (state !== null) return refuse(new WireError('conflict', `session ${this.sessionId} exists`));
      return this.carryOut(null, { kind: 'append', drafts, answer: ({ after }) => after });
    });
  }

  /** What was accepted under a key, staged or durable: admission reads it. */
  accepted(senderId: string, key: string | null): KeyRecord | undefined {
    return key === null ? undefined : this.keys.get(keyName(senderId, key));
  }

  /** Durable entries from `fromSeq` on, if they are all in memory. */
  tailFrom(fromSeq: number): readonly Entry[] | null {
    const first = this.tail[0];
    if (first === undefined || first.envelope.seq > fromSeq) return null;
    return this.tail.slice(fromSeq - first.envelope.seq);
  }

  private carryOut<T>(
    state: SessionState | null,
    decision: Decision<T>,
    check?: (advanced: Advanced) => WireError | null,
  ): Judgement<SessionState, T> {
    if (decision.kind !== 'append') return decision;
    const advanced = advance(state, decision.drafts, this.governance());
    const refusal = check?.(advanced) ?? null;
    if (refusal !== null) return refuse(refusal);
    const { entries, after } = advanced;
    const answer = decision.answer(advanced);
    return { kind: 'accept', unit: { entries }, after, answer, onStaged: () => this.remember(entries) };
  }

  private governance(): Governance {
    const { stamper, limits } = this.parts;
    return {
      adapter: this.adapter,
      epoch: this.epoch,
      maxEnvelopes: limits.maxEnvelopes,
      stamp: (last) => stamper.next(last),
    };
  }

  private remember(entries: readonly Entry[]): void {
    for (const { envelope } of entries) rememberKey(this.keys, envelope);
  }

  private publish(entries: readonly Entry[], after: SessionState | null): void {
    if (after === null) return;
    this.tail.push(...entries);
    const { tailLength } = this.parts.limits;
    if (this.tail.length > 2 * tailLength) this.tail = this.tail.slice(-tailLength);
    this.sink(this, entries, after);
  }

  /** Another writer was first: its entries are folded and published like our own, and the keys of what was dropped go. */
  private async reload(durable: SessionState | null): Promise<{ state: SessionState | null; token: HeadToken | null }> {
    const head = durable?.metadata.head_seq ?? 0;
    for (const [name, { seq }] of this.keys) if (seq > head) this.keys.delete(name);
    const position = await this.parts.store.position(this.sessionId);
    if (position === null && durable !== null)
      throw new WireError('internal', `session ${this.sessionId} is gone from the store`);
    if (position === null) return { state: null, token: null };
    let state = durable;
    for await (const entries of logPages(this.parts.store, this.sessionId, head + 1, position.seq)) {
      for (const { envelope } of entries) {
        this.parts.stamper.observe(envelope.envelope_id);
        state = foldEnvelope(state, envelope, this);
      }
      this.remember(entries);
      this.publish(entries, state);
    }
    return { state, token: position.token };
  }
}
