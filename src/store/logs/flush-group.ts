/** The appends that become durable with one flush of the journal: applied in the order of the journal, then answered in that order. */

import type { AppendOutcome } from '../../core/ports/store.ts';
import type { AppendResult, JournalOutcome } from '../journal/journal-types.ts';

/** What follows when a record is durable: whoever looks from then on sees it. */
export interface DurableEffect {
  apply(): void;
}

/** Appends that follow each other have one promise: whoever waits for a thousand waits once. */
interface Answer {
  readonly outcome: AppendOutcome;
  readonly promise: Promise<AppendOutcome>;
  readonly settle: (outcome: AppendOutcome) => void;
}

const DURABLE: AppendOutcome = { kind: 'durable' };
const CONFLICT: AppendOutcome = { kind: 'conflict' };

export class FlushGroup {
  /** What all its appends wait for. */
  readonly flushed: Promise<JournalOutcome>;
  readonly #records: DurableEffect[] = [];
  /** In the order of the appends; a conflict is answered in its turn. */
  readonly #answers: Answer[] = [];

  /** The newest of its records. */
  last: AppendResult;

  constructor(first: AppendResult) {
    this.flushed = first.outcome;
    this.last = first;
  }

  add(unit: DurableEffect): Promise<AppendOutcome> {
    this.#records.push(unit);
    return this.#answer(DURABLE);
  }

  /** Nobody waits for it. */
  addLazy(record: DurableEffect): void {
    this.#records.push(record);
  }

  /** A conflict is answered in its turn, behind what was staged before it. */
  addConflict(): Promise<AppendOutcome> {
    return this.#answer(CONFLICT);
  }

  apply(): void {
    for (const record of this.#records) record.apply();
  }

  settle(): void {
    for (const { settle, outcome } of this.#answers) settle(outcome);
  }

  fail(error: Error): void {
    for (const { settle } of this.#answers) settle({ kind: 'failed', error });
  }

  #answer(outcome: AppendOutcome): Promise<AppendOutcome> {
    let last = this.#answers.at(-1);
    if (last?.outcome !== outcome) {
      last = answerOf(outcome);
      this.#answers.push(last);
    }
    return last.promise;
  }
}

function answerOf(outcome: AppendOutcome): Answer {
  let settle: Answer['settle'] = () => {};
  const promise = new Promise<AppendOutcome>((resolve) => {
    settle = resolve;
  });
  return { outcome, promise, settle };
}
