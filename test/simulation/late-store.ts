/** A store whose answers are true when they are given and late when they come: whatever happens in between is not in them. */

import { MemoryDisk } from '../../src/hub/log/memory-disk.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';

const MOST_TURNS = 4;

export class LateStore extends FaultyStore {
  /** Answers under way. */
  pending = 0;
  private random: Random = seededRandom(1);

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

  override read(...args: Parameters<FaultyStore['read']>): ReturnType<FaultyStore['read']> {
    return this.late(super.read(...args));
  }

  override head(...args: Parameters<FaultyStore['head']>): ReturnType<FaultyStore['head']> {
    return this.late(super.head(...args));
  }

  override list(...args: Parameters<FaultyStore['list']>): ReturnType<FaultyStore['list']> {
    return this.late(super.list(...args));
  }

  override liveChildren(...args: Parameters<FaultyStore['liveChildren']>): ReturnType<FaultyStore['liveChildren']> {
    return this.late(super.liveChildren(...args));
  }

  override createdUnder(...args: Parameters<FaultyStore['createdUnder']>): ReturnType<FaultyStore['createdUnder']> {
    return this.late(super.createdUnder(...args));
  }

  override loadCursors(...args: Parameters<FaultyStore['loadCursors']>): ReturnType<FaultyStore['loadCursors']> {
    return this.late(super.loadCursors(...args));
  }

  override loadSnapshot(...args: Parameters<FaultyStore['loadSnapshot']>): ReturnType<FaultyStore['loadSnapshot']> {
    return this.late(super.loadSnapshot(...args));
  }

  private async late<T>(answer: Promise<T>): Promise<T> {
    this.pending += 1;
    const turns = this.random.below(MOST_TURNS);
    try {
      await answer;
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      return await answer;
    } finally {
      this.pending -= 1;
    }
  }
}
