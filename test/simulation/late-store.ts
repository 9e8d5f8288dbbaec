/** A store that reads at once and answers late, so its answers miss what happens in between. */

import { MemoryDisk } from '../../src/hub/log/memory-disk.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';

const MOST_TICKS = 4;
const LATE = ['read', 'head', 'list', 'liveChildren', 'createdUnder', 'loadCursors', 'loadSnapshot'] as const;

export class LateStore extends FaultyStore {
  /** Pending answers. */
  pending = 0;
  private random: Random = seededRandom(1);

  constructor(disk?: MemoryDisk) {
    super(disk);
    for (const name of LATE) {
      const call = this[name].bind(this) as (...args: unknown[]) => Promise<unknown>;
      Object.assign(this, { [name]: (...args: unknown[]) => this.late(call(...args)) });
    }
  }

  static seeded(seed: number): LateStore {
    const store = new LateStore(new MemoryDisk());
    store.random = seededRandom(seed);
    return store;
  }

  override crash(...keep: Parameters<FaultyStore['crash']>): this {
    const next = super.crash(...keep);
    next.random = this.random;
    return next;
  }

  private async late<T>(answer: Promise<T>): Promise<T> {
    this.pending += 1;
    const ticks = this.random.below(MOST_TICKS);
    try {
      await answer;
      for (let i = 0; i < ticks; i++) await new Promise((resolve) => setImmediate(resolve));
      return await answer;
    } finally {
      this.pending -= 1;
    }
  }
}
