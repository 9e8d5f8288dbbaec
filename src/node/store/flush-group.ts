/** The appends that become durable with one flush of the journal: applied in the order of the journal, then answered in that order. */

import type { AppendOutcome } from '../../core/store.ts';
import type { JournalOutcome } from '../journal/journal-types.ts';

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
  /** It is durable: whoever looks from now on sees it. */
  readonly #applies: (() => void)[] = [];
  /** In the order of the appends; a conflict is answered in its turn. */
  readonly #answers: Answer[] = [];

  constructor(flushed: Promise<JournalOutcome>) {
    this.flushed = flushed;
  }

  add(apply: () => void): Promise<AppendOutcome> {
    this.#applies.push(apply);
    return this.#answer(DURABLE);
  }

  /** Nobody waits for it. */
  addLazy(apply: () => void): void {
    this.#applies.push(apply);
  }

  /** A conflict is answered in its turn, behind what was staged before it. */
  addConflict(): Promise<AppendOutcome> {
    return this.#answer(CONFLICT);
  }

  apply(): void {
    for (const apply of this.#applies) apply();
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
