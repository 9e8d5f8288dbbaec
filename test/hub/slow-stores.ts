/** Stores with answers that come on request, or fail. */

import type { Cursor, SessionPage } from '../../src/core/ports/store.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';

class Gate {
  open: () => void = () => {};
  passed: Promise<void> = Promise.resolve();

  close(): void {
    this.passed = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

/** Its cursors are slow. */
export class SlowCursors extends FaultyStore {
  readonly gate: Gate = new Gate();

  override async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    await this.gate.passed;
    return super.loadCursors(agentId);
  }
}

/** Its lists are read immediately and answered late, so they miss later changes. */
export class SlowLists extends FaultyStore {
  readonly gate: Gate = new Gate();

  override async list(...query: Parameters<FaultyStore['list']>): Promise<SessionPage> {
    const page = await super.list(...query);
    await this.gate.passed;
    return page;
  }
}

/** Its reads are slow, and the next `failures` of them fail. */
export class SlowReads extends FaultyStore {
  readonly gate: Gate = new Gate();
  failures = 0;
  private left: number = Number.POSITIVE_INFINITY;

  /** Answers this many reads; later ones wait at the gate. */
  closeAfter(reads: number): void {
    this.left = reads;
  }

  override async read(...args: Parameters<FaultyStore['read']>): ReturnType<FaultyStore['read']> {
    if (this.left-- === 0) this.gate.close();
    await this.gate.passed;
    if (this.failures-- > 0) throw new Error('bad sector');
    return super.read(...args);
  }
}
