/** Units wait here between their append and their outcome; one flush decides all that wait, in order. */

import type { Unit } from '../core/records/session/envelope.ts';
import { asError } from '../core/lib/errors.ts';
import type { Append, AppendOutcome, HeadToken } from '../core/ports/store.ts';
import type { MemoryDisk } from './log/memory-disk.ts';
import { type StagedUnit, stageUnit } from './memory-log.ts';

interface Waiting {
  readonly unit: StagedUnit;
  readonly settle: (outcome: AppendOutcome) => void;
}

export class GroupCommit {
  readonly #disk: MemoryDisk;
  /** Bounded by the caller, who knows the bytes of what he stages (Limits.maxStagedBytes). */
  readonly #waiting: Waiting[] = [];
  #poison: Error | null = null;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  /** How many units wait. */
  get size(): number {
    return this.#waiting.length;
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const staged = stageUnit(logId, expected, unit);
    const outcome = new Promise<AppendOutcome>((settle) => {
      if (this.#poison === null) this.#waiting.push({ unit: staged, settle });
      else settle({ kind: 'failed', error: this.#poison });
    });
    return { token: staged.token, outcome };
  }

  /** The first `count` of the waiting units become durable, or conflict. A disk that throws fails them and all behind. */
  flush(count: number = this.#waiting.length): void {
    for (const { unit, settle } of this.#waiting.slice(0, count)) {
      try {
        settle({ kind: this.#disk.commit(unit) ? 'durable' : 'conflict' });
      } catch (thrown) {
        this.fail(asError(thrown));
        return;
      }
      this.#waiting.shift();
    }
  }

  /** Fails what waits and every later append. */
  fail(error: Error): readonly StagedUnit[] {
    this.#poison ??= error;
    const failed = this.#waiting.splice(0);
    for (const { settle } of failed) settle({ kind: 'failed', error: this.#poison });
    return failed.map(({ unit }) => unit);
  }

  /** Forgets what waits, as a crash does: its outcomes never settle. */
  abandon(): readonly StagedUnit[] {
    return this.#waiting.splice(0).map(({ unit }) => unit);
  }
}
