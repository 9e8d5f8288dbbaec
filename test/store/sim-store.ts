/** The durable store on a simulated disk, with an in-memory index that survives as far as it was written. */

import type { DurableStore, StorePorts } from '../../src/store/durable-store.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import type { OrderedIndex } from '../../src/store/index/ordered-index.ts';
import type { Files } from '../../src/store/journal/files.ts';
import { recoverStore, type StoreRecovery } from '../../src/store/recover.ts';

/** Small, so that histories reach the next segment. */
const SMALL_SEGMENT = 16 * 1024;

export interface SimStoreOptions {
  readonly index?: OrderedIndex;
  readonly ports?: Partial<StorePorts>;
  readonly defer?: (run: () => void) => void;
  readonly segmentBytes?: number;
}

export function openSimStore(
  disk: Files,
  { index = new MemoryIndex(), ports = {}, defer, segmentBytes = SMALL_SEGMENT }: SimStoreOptions = {},
): Promise<{ store: DurableStore; recovery: StoreRecovery }> {
  return recoverStore({
    files: disk,
    index,
    journalId: 'simulated',
    segmentBytes,
    ports: {
      after: soon,
      onDamage: () => {},
      onIndexDamaged: () => {},
      onIndexRenewed: () => {},
      onClosed: async () => {},
      ...ports,
    },
    ...(defer === undefined ? {} : { defer }),
  });
}

function soon(_ms: number, run: () => void): () => void {
  const timer = setImmediate(run);
  return () => clearImmediate(timer);
}
