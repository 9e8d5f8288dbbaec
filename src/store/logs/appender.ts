/**
 * Appends to the journal, and what follows when a flush is on the disk: the catalogue, then the answers, then, soon, the index.
 * The store is the only writer of its folder, so a head token is the seq and epoch of a staged head.
 */

import { asError } from '../../core/lib/errors.ts';
import type { Append, AppendOutcome, HeadToken } from '../../core/ports/store.ts';
import type { Unit } from '../../core/records/session/unit.ts';
import { checkSeqs } from '../../core/state/fold-head.ts';
import { serializeUnit } from '../../core/state/serialize.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { HotLog } from '../catalogue/hot-log.ts';
import { orderAt } from '../index/index-keys.ts';
import { extendRecord, type LogRecord } from '../index/log-record.ts';
import type { PlacedUnit } from '../index/unit-positions.ts';
import type { Journal } from '../journal/journal.ts';
import type { AppendResult } from '../journal/journal-types.ts';
import { type DurableEffect, FlushGroup } from './flush-group.ts';

/** The index is written this long after something became durable: often enough that a start replays little, rarely enough to cost nothing. */
export const COMMIT_AFTER_MS = 500;
/** More than this waits for no timer. */
const MANY_CHANGES = 8_192;
/** With more than this waiting, answers wait for the index: it cannot follow, and memory is bounded. */
const TOO_MANY_CHANGES = 262_144;

/** Calls `run` once after so many milliseconds; the result cancels it. */
export type After = (ms: number, run: () => void) => () => void;

export class Appender {
  readonly #journal: Journal;
  readonly #catalogue: Catalogue;
  readonly #after: After;
  readonly #failureListeners: ((error: Error) => void)[] = [];
  /** The appends of the flush that is filled or under way last. */
  #group: FlushGroup | null = null;
  #gate: Promise<void> | null = null;
  #failure: Error | null = null;
  #cancelCommit: (() => void) | null = null;

  constructor(journal: Journal, catalogue: Catalogue, after: After) {
    this.#journal = journal;
    this.#catalogue = catalogue;
    this.#after = after;
  }

  /** Why nothing is taken any more. */
  get failure(): Error | null {
    return this.#failure;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#failureListeners.push(listener);
  }

  /** From now on every append fails; whoever asked to hear of it does, once. */
  fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    for (const listener of this.#failureListeners) listener(error);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const last = unit.entries.at(-1)?.envelope;
    const seq = last?.seq ?? 0;
    if (this.#failure !== null) return this.#failed(seq, this.#failure);
    const log = this.#catalogue.hot(logId);
    const before = log.staged;
    const isDamaged = before !== null && before.damagedFrom !== null;
    // Whoever read a damaged log up to its damage cannot know the seq that would be next.
    if (!isDamaged) checkSeqs(logId, seqOf(expected), unit);
    if (isDamaged || !isHead(before, expected)) return { token: tokenOfConflict(seq), outcome: this.#conflict() };
    // The fold comes first: if it throws, nothing was written.
    const grown = extendRecord(before, unit);
    const text = serializeUnit(unit);
    const appended = this.#journal.append('unit', logId, text);
    const { position } = appended;
    const after = before === null ? { ...grown, order: orderAt(position) } : grown;
    log.stage(after);
    const firstSeq = unit.entries[0]?.envelope.seq ?? 0;
    const group = this.#groupOf(appended);
    const outcome = group.add(
      new AppendedUnit(this.#catalogue, log, after, { firstSeq, position }, last?.envelope_id ?? null),
    );
    return { token: tokenOf(after), outcome, text };
  }

  /** A record that nobody waits for; `apply` is called when it is durable. */
  appendLazy(family: string, text: string, apply: (appended: AppendResult) => void = () => {}): void {
    if (this.#failure !== null) return;
    const appended = this.#journal.append('lazy', family, text);
    this.#groupOf(appended).addLazy({ apply: () => apply(appended) });
    this.commitSoon();
  }

  /** What waits is durable when this returns. */
  async flush(): Promise<void> {
    const outcome = await this.#journal.flushLazy();
    if (outcome.kind === 'failed') throw outcome.error;
  }

  /** What waits is durable and in the index when this returns. */
  async settle(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    try {
      await this.flush();
      await this.#catalogue.commit();
    } catch (thrown) {
      this.fail(asError(thrown));
      throw thrown;
    }
  }

  commitSoon(): void {
    if (this.#failure !== null || this.#cancelCommit !== null) return;
    const ms = this.#catalogue.size > MANY_CHANGES ? 0 : COMMIT_AFTER_MS;
    this.#cancelCommit = this.#after(ms, () => {
      this.#cancelCommit = null;
      void this.#commit();
    });
  }

  /** Takes nothing more; what was staged is durable and in the index, as far as that can be. */
  async close(reason: Error): Promise<void> {
    this.#failure ??= reason;
    this.#cancelCommit?.();
    await this.#journal.flushLazy();
    await this.#group?.flushed;
    await this.#gate;
    await this.#catalogue.commit().catch(() => {});
  }

  /** The group of the flush that this record goes with. */
  #groupOf(appended: AppendResult): FlushGroup {
    if (this.#group?.flushed === appended.outcome) {
      this.#group.last = appended;
      return this.#group;
    }
    const group = new FlushGroup(appended);
    this.#group = group;
    void group.flushed.then((outcome) => {
      if (this.#group === group) this.#group = null;
      return outcome.kind === 'failed' ? this.#poison(group, outcome.error) : this.#confirm(group);
    });
    return group;
  }

  #confirm(group: FlushGroup): void {
    group.apply();
    this.#applied(group.last);
    if (this.#gate === null && this.#catalogue.size <= TOO_MANY_CHANGES) group.settle();
    else this.#behindGate(() => group.settle());
    this.commitSoon();
  }

  /** The index cannot follow: answers wait until it has, in order. */
  #behindGate(settle: () => void): void {
    const gate = (this.#gate ?? this.#commit()).then(() => {
      if (this.#gate === gate) this.#gate = null;
      settle();
    });
    this.#gate = gate;
  }

  #poison(group: FlushGroup, error: Error): void {
    this.fail(error);
    group.fail(error);
  }

  #conflict(): Promise<AppendOutcome> {
    if (this.#group !== null) return this.#group.addConflict();
    return (this.#gate ?? Promise.resolve()).then(() => ({ kind: 'conflict' }));
  }

  #failed(seq: number, error: Error): Append {
    return { token: tokenOfConflict(seq), outcome: Promise.resolve({ kind: 'failed', error }) };
  }

  #applied({ position: { segment, offset }, bytes }: AppendResult): void {
    this.#catalogue.advanceTo({ segment, offset: offset + bytes });
  }

  /** Lazy records go to the disk no later than the index. An index that cannot be written is a disk that cannot be trusted. */
  async #commit(): Promise<void> {
    try {
      await this.#journal.flushLazy();
      await this.#catalogue.commit();
    } catch (thrown) {
      this.fail(asError(thrown));
    }
  }
}

/** A unit that waits for its flush. */
class AppendedUnit implements DurableEffect {
  private readonly catalogue: Catalogue;
  private readonly log: HotLog;
  private readonly after: LogRecord;
  private readonly unit: PlacedUnit;
  private readonly lastId: string | null;

  constructor(catalogue: Catalogue, log: HotLog, after: LogRecord, unit: PlacedUnit, lastId: string | null) {
    this.catalogue = catalogue;
    this.log = log;
    this.after = after;
    this.unit = unit;
    this.lastId = lastId;
  }

  apply(): void {
    this.catalogue.confirm(this.log, this.after, this.unit, this.lastId);
  }
}

interface Token {
  readonly seq: number;
  readonly epoch: number;
}

const NEVER = -1;

export function tokenOf({ seq, epoch }: { readonly seq: number; readonly epoch: number }): HeadToken {
  const token: Token = { seq, epoch };
  // HeadToken is opaque; these are ours.
  return token as unknown as HeadToken;
}

function tokenOfConflict(seq: number): HeadToken {
  return tokenOf({ seq, epoch: NEVER });
}

function isHead(record: LogRecord | null, expected: HeadToken | null): boolean {
  if (record === null || expected === null) return record === null && expected === null;
  const { seq, epoch } = read(expected);
  return record.seq === seq && record.epoch === epoch;
}

/** The seq of the head it names; null = before the first. */
export function seqOf(token: HeadToken | null): number {
  return token === null ? 0 : read(token).seq;
}

function read(token: HeadToken): Token {
  // The reverse of tokenOf.
  return token as unknown as Token;
}
