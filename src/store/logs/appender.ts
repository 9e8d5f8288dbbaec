/**
 * Appends to the journal. After each flush it updates the catalogue, settles appends and schedules an index write. Only
 * this store writes the folder, so a head token is just the seq and epoch of a staged head.
 */

import { asError } from '../../core/lib/errors.ts';
import type { Append, AppendOutcome, HeadToken } from '../../core/ports/store.ts';
import type { Unit } from '../../core/records/session/unit.ts';
import { checkSeqs } from '../../core/state/fold-head.ts';
import { serializeUnit } from '../../core/state/serialize.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { orderAt } from '../index/index-keys.ts';
import { extendRecord, type LogRecord } from '../index/log-record.ts';
import type { Journal } from '../journal/journal.ts';
import type { AppendResult, JournalOutcome } from '../journal/journal-types.ts';

/** Delay of an index write after a flush: short, so that a start replays little; long enough to make writes cheap. */
export const COMMIT_AFTER_MS = 500;
/** Above this many changes, write the index without delay. */
const MANY_CHANGES = 8_192;
/** Above this many changes, appends settle only after an index write, so that memory stays bounded. */
const TOO_MANY_CHANGES = 262_144;

const DURABLE: AppendOutcome = { kind: 'durable' };
const CONFLICT: AppendOutcome = { kind: 'conflict' };
/** The epoch in the token of an append that was not staged; matches no head. */
const NEVER = -1;

/** Calls `run` once after this many milliseconds; call the result to cancel. */
export type After = (ms: number, run: () => void) => () => void;

export class Appender {
  readonly #journal: Journal;
  readonly #catalogue: Catalogue;
  readonly #after: After;
  readonly #failureListeners: ((error: Error) => void)[] = [];
  /** The appends of the newest unfinished flush; null if all flushes are finished. */
  #group: FlushGroup | null = null;
  #gate: Promise<void> | null = null;
  /** Why appends are rejected; null if they are accepted. */
  failure: Error | null = null;
  #cancelCommit: (() => void) | null = null;

  constructor(journal: Journal, catalogue: Catalogue, after: After) {
    this.#journal = journal;
    this.#catalogue = catalogue;
    this.#after = after;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#failureListeners.push(listener);
  }

  /** Fails every later append and notifies the listeners once. */
  fail(error: Error): void {
    if (this.failure !== null) return;
    this.failure = error;
    for (const listener of this.#failureListeners) listener(error);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    if (this.failure !== null) {
      return { token: unstagedToken(unit), outcome: Promise.resolve({ kind: 'failed', error: this.failure }) };
    }
    const log = this.#catalogue.hot(logId);
    const before = log.staged;
    const isDamaged = before !== null && before.damagedFrom !== null;
    // The next seq of a damaged log is unknown, so it cannot be checked.
    if (!isDamaged) checkSeqs(logId, expected === null ? 0 : read(expected).seq, unit);
    if (isDamaged || !isHead(before, expected)) return { token: unstagedToken(unit), outcome: this.#conflict() };
    // Fold first: if it throws, nothing was written.
    const grown = extendRecord(before, unit);
    const text = serializeUnit(unit);
    const appended = this.#journal.append('unit', logId, text);
    const { position } = appended;
    const after = before === null ? { ...grown, order: orderAt(position) } : grown;
    log.stage(after);
    const placed = { firstSeq: unit.entries[0]?.envelope.seq ?? 0, position };
    const lastId = unit.entries.at(-1)?.envelope.envelope_id ?? null;
    const group = this.#groupOf(appended);
    group.effects.push(() => this.#catalogue.confirm(log, after, placed, lastId));
    return { token: tokenOf(after), outcome: group.answer(DURABLE), text };
  }

  /** Appends a record that no caller waits for; `apply` runs once it is durable. */
  appendLazy(family: string, text: string, apply: (appended: AppendResult) => void = () => {}): void {
    if (this.failure !== null) return;
    const appended = this.#journal.append('lazy', family, text);
    this.#groupOf(appended).effects.push(() => apply(appended));
    this.commitSoon();
  }

  /** Makes everything staged durable. */
  async flush(): Promise<void> {
    const outcome = await this.#journal.flushLazy();
    if (outcome.kind === 'failed') throw outcome.error;
  }

  /** Makes everything staged durable and indexed. */
  async settle(): Promise<void> {
    if (this.failure !== null) throw this.failure;
    try {
      await this.flush();
      await this.#catalogue.commit();
    } catch (thrown) {
      this.fail(asError(thrown));
      throw thrown;
    }
  }

  commitSoon(): void {
    if (this.failure !== null || this.#cancelCommit !== null) return;
    const ms = this.#catalogue.size > MANY_CHANGES ? 0 : COMMIT_AFTER_MS;
    this.#cancelCommit = this.#after(ms, () => {
      this.#cancelCommit = null;
      void this.#commit();
    });
  }

  /** Rejects later appends; makes staged ones durable and indexed if possible. */
  async close(reason: Error): Promise<void> {
    this.failure ??= reason;
    this.#cancelCommit?.();
    await this.#journal.flushLazy();
    await this.#group?.flushed;
    await this.#gate;
    await this.#catalogue.commit().catch(() => {});
  }

  /** The group of the flush that includes this record. */
  #groupOf(appended: AppendResult): FlushGroup {
    if (this.#group?.flushed === appended.outcome) {
      this.#group.last = appended;
      return this.#group;
    }
    const group = new FlushGroup(appended);
    this.#group = group;
    void group.flushed.then((outcome) => {
      if (this.#group === group) this.#group = null;
      if (outcome.kind === 'durable') return this.#confirm(group);
      this.fail(outcome.error);
      group.fail(outcome.error);
    });
    return group;
  }

  #confirm(group: FlushGroup): void {
    for (const apply of group.effects) apply();
    const { position, bytes } = group.last;
    this.#catalogue.advanceTo({ segment: position.segment, offset: position.offset + bytes });
    if (this.#gate === null && this.#catalogue.size <= TOO_MANY_CHANGES) group.settle();
    else this.#behindGate(() => group.settle());
    this.commitSoon();
  }

  /** Delays a settlement, in order, until the index has caught up. */
  #behindGate(settle: () => void): void {
    const gate = (this.#gate ?? this.#commit()).then(() => {
      if (this.#gate === gate) this.#gate = null;
      settle();
    });
    this.#gate = gate;
  }

  /** Reports a conflict in order, after all appends staged before it. */
  #conflict(): Promise<AppendOutcome> {
    if (this.#group !== null) return this.#group.answer(CONFLICT);
    return (this.#gate ?? Promise.resolve()).then(() => CONFLICT);
  }

  /** Writes the index, after the lazy records. If that fails, appends fail too: the disk cannot be trusted. */
  async #commit(): Promise<void> {
    try {
      await this.#journal.flushLazy();
      await this.#catalogue.commit();
    } catch (thrown) {
      this.fail(asError(thrown));
    }
  }
}

/** The promise shared by consecutive appends with the same outcome. */
interface Answer {
  readonly outcome: AppendOutcome;
  readonly promise: Promise<AppendOutcome>;
  settle(outcome: AppendOutcome): void;
}

/** The appends of one flush. Once it is durable, their effects run in journal order; then they settle in that order. */
class FlushGroup {
  readonly flushed: Promise<JournalOutcome>;
  readonly effects: (() => void)[] = [];
  /** The newest record. */
  last: AppendResult;
  readonly #answers: Answer[] = [];

  constructor(first: AppendResult) {
    this.flushed = first.outcome;
    this.last = first;
  }

  answer(outcome: AppendOutcome): Promise<AppendOutcome> {
    let last = this.#answers.at(-1);
    if (last?.outcome !== outcome) {
      last = answerOf(outcome);
      this.#answers.push(last);
    }
    return last.promise;
  }

  settle(): void {
    for (const { settle, outcome } of this.#answers) settle(outcome);
  }

  fail(error: Error): void {
    for (const { settle } of this.#answers) settle({ kind: 'failed', error });
  }
}

function answerOf(outcome: AppendOutcome): Answer {
  let settle: Answer['settle'] = () => {};
  const promise = new Promise<AppendOutcome>((resolve) => {
    settle = resolve;
  });
  return { outcome, promise, settle };
}

interface Token {
  readonly seq: number;
  readonly epoch: number;
}

export function tokenOf({ seq, epoch }: Token): HeadToken {
  const token: Token = { seq, epoch };
  // HeadToken is opaque; only this file reads its members.
  return token as unknown as HeadToken;
}

function unstagedToken({ entries }: Unit): HeadToken {
  return tokenOf({ seq: entries.at(-1)?.envelope.seq ?? 0, epoch: NEVER });
}

function isHead(record: LogRecord | null, expected: HeadToken | null): boolean {
  if (record === null || expected === null) return record === null && expected === null;
  const { seq, epoch } = read(expected);
  return record.seq === seq && record.epoch === epoch;
}

function read(token: HeadToken): Token {
  // The reverse of tokenOf.
  return token as unknown as Token;
}
