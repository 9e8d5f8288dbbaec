/**
 * Logs: how a log is written and read. `admitted` is the state after the last staged unit, read by admission only; `durable`
 * is the state after the last confirmed unit. Judging, folding and staging are one synchronous step, so a log needs no lock;
 * answers leave in order, once what they depend on is durable. Start here, then hub-log.ts and ground.ts.
 */

import { asError, toWireError, type WireError } from '../../core/lib/errors.ts';
import { estimateJsonLength } from '../../core/lib/json.ts';
import type { AppendOutcome, HeadToken, Store } from '../../core/ports/store.ts';
import type { Unit } from '../../core/records/session/unit.ts';
import { type AppendListener, type Backlog, storeFailedError } from './backlog.ts';

/** The result of a judge: a unit with the state after it, an answer without effect, or a rejection. */
export type Judgement<State, Answer> =
  | { readonly kind: 'accept'; readonly unit: Unit; readonly after: State; readonly answer: Answer }
  | { readonly kind: 'nothing'; readonly answer: Answer }
  | { readonly kind: 'refuse'; readonly error: WireError };

/** Synchronous; called again on a newer state after a conflict. */
export type Judge<State, Answer> = (state: State) => Judgement<State, Answer>;

export interface StagedLogOwner<State> {
  readonly logId: string;
  readonly store: Store;
  readonly backlog: Backlog;
  /** Called when a unit is staged: only now update what admission remembers in addition to the state. */
  onStaged(unit: Unit): void;
  onDurable(unit: Unit, after: State, text: string | undefined): void;
  /** Called when another writer appended: read the durable state and position from the store. */
  reload(durable: State | null): Promise<{ readonly state: State; readonly token: HeadToken | null }>;
  onFailed(error: Error): void;
  /** Called when the log could not be read again: this StagedLog must not be used any more. */
  onLost(error: Error): void;
}

/** A waiting request. After a conflict it is judged again, with the next generation. */
class Admission<State> implements AppendListener {
  readonly judge: Judge<State, unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: WireError) => void;
  readonly generation: number;
  verdict: Judgement<State, unknown> | null = null;
  text: string | undefined = undefined;
  private readonly ledger: StagedLog<State>;

  constructor(
    ledger: StagedLog<State>,
    generation: number,
    { judge, resolve, reject }: Pick<Admission<State>, 'judge' | 'resolve' | 'reject'>,
  ) {
    this.ledger = ledger;
    this.generation = generation;
    this.judge = judge;
    this.resolve = resolve;
    this.reject = reject;
  }

  settle(outcome: AppendOutcome): void {
    this.ledger.settle(this, outcome);
  }
}

export class StagedLog<State> {
  private readonly owner: StagedLogOwner<State>;
  private admittedState: State;
  private durableState: State | null;
  private token: HeadToken | null;
  /** Admissions without an answer yet, in order. */
  private pending: Admission<State>[] = [];
  private reloading = false;
  private lost: Error | null = null;
  /** Raised by a conflict or failure: outcomes of an older generation belong to dropped units. */
  private generation = 0;

  /** `durable` is null if the log does not exist yet; `initial` is the state the first judge sees. */
  constructor(owner: StagedLogOwner<State>, initial: State, durable: State | null, token: HeadToken | null) {
    this.owner = owner;
    this.admittedState = initial;
    this.durableState = durable;
    this.token = token;
  }

  get durable(): State | null {
    return this.durableState;
  }

  get idle(): boolean {
    return this.pending.length === 0 && !this.reloading;
  }

  admit<Answer>(judge: Judge<State, Answer>): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const failed = this.owner.backlog.failed ?? this.lost;
      if (failed !== null) return reject(storeFailedError(failed, 'refused'));
      // The answer given to `resolve` is the one this judge returned.
      const asked = { judge, resolve: resolve as (answer: unknown) => void, reject };
      const admission = new Admission<State>(this, this.generation, asked);
      if (this.reloading) this.pending.push(admission);
      else this.judgeNow(admission);
    });
  }

  private judgeNow(admission: Admission<State>): void {
    const verdict = this.ask(admission);
    admission.verdict = verdict;
    if (verdict.kind === 'accept') {
      this.pending.push(admission);
      this.owner.onStaged(verdict.unit);
    } else if (this.pending.length === 0) {
      release(admission, verdict);
    } else {
      this.pending.push(admission);
    }
  }

  /** Judges and stages. A throw (a defect of an adapter or the store) rejects the request and changes nothing. */
  private ask(admission: Admission<State>): Judgement<State, unknown> {
    try {
      const verdict = admission.judge(this.admittedState);
      if (verdict.kind === 'accept') this.stage(admission, verdict.unit, verdict.after);
      return verdict;
    } catch (thrown) {
      return { kind: 'refuse', error: toWireError(thrown, `judging an entry of ${this.owner.logId}`) };
    }
  }

  private stage(admission: Admission<State>, unit: Unit, after: State): void {
    const { store, backlog, logId } = this.owner;
    const { token, outcome, text } = store.append(logId, this.token, unit);
    admission.text = text;
    this.token = token;
    this.admittedState = after;
    backlog.add(unitBytes(unit), outcome, admission);
  }

  settle(admission: Admission<State>, outcome: AppendOutcome): void {
    if (admission.generation !== this.generation) return;
    switch (outcome.kind) {
      case 'durable':
        return this.confirm(admission);
      case 'conflict':
        return void this.readmit();
      case 'failed':
        return this.fail(asError(outcome.error));
    }
  }

  /** Makes the unit's state the durable one, then releases answers up to the next staged unit. */
  private confirm(admission: Admission<State>): void {
    const verdict = admission.verdict;
    if (verdict?.kind !== 'accept') return;
    this.durableState = verdict.after;
    this.pending.shift();
    this.owner.onDurable(verdict.unit, verdict.after, admission.text);
    release(admission, verdict);
    this.releaseUnstaged();
  }

  private releaseUnstaged(): void {
    for (let next = this.pending[0]; next !== undefined; next = this.pending[0]) {
      if (next.verdict === null || next.verdict.kind === 'accept') return;
      this.pending.shift();
      release(next, next.verdict);
    }
  }

  /** Another writer was first: drop what was staged, read on, and judge the dropped drafts again, in order. */
  private async readmit(): Promise<void> {
    this.generation += 1;
    this.reloading = true;
    try {
      const { state, token } = await this.owner.reload(this.durableState);
      this.admittedState = state;
      if (token !== null) this.durableState = state;
      this.token = token;
      this.reloading = false;
      for (const asked of this.pending.splice(0)) this.judgeNow(new Admission(this, this.generation, asked));
    } catch (thrown) {
      this.reloading = false;
      this.lost = asError(thrown);
      this.rejectAll(this.lost, 'refused');
      this.owner.onLost(this.lost);
    }
  }

  /** The store failed: rejects all pending admissions. Recovery decides which staged units survive. */
  private fail(error: Error): void {
    this.generation += 1;
    this.owner.onFailed(error);
    this.rejectAll(error, 'unknown');
  }

  /** A rejection is certain. The fate of staged units, and of repeats that wait for them, is unknown. */
  private rejectAll(error: Error, staged: 'unknown' | 'refused'): void {
    for (const { verdict, reject } of this.pending.splice(0)) {
      reject(storeFailedError(error, verdict === null || verdict.kind === 'refuse' ? 'refused' : staged));
    }
  }
}

function release<State>({ resolve, reject }: Admission<State>, verdict: Judgement<State, unknown>): void {
  if (verdict.kind === 'refuse') reject(verdict.error);
  else resolve(verdict.answer);
}

/** A cheap estimate: the limit it feeds is only a safety net. */
function unitBytes(unit: Unit): number {
  let bytes = 0;
  for (const { envelope } of unit.entries) bytes += 400 + estimateJsonLength(envelope.event_data);
  return bytes;
}
