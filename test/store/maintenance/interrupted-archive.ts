/** An archive interrupted by a power cut after one disk operation, after two, and so on to its end. */

import { MemoryIndex } from '../../../src/store/index/memory-index.ts';
import type { StoreRecovery } from '../../../src/store/recover.ts';
import type { SimDisk } from '../../support/sim-disk.ts';
import { openSimStore } from '../sim-store.ts';

type Opened = Awaited<ReturnType<typeof openSimStore>>;

/** `look` receives the store as opened after each. */
export async function eachCutOff(
  disk: SimDisk,
  endedBefore: string,
  look: (store: Opened['store'], recovery: StoreRecovery, when: string) => Promise<void>,
): Promise<void> {
  let isOver = false;
  for (let operations = 1; !isOver; operations++) {
    const copy = disk.copy();
    const index = new MemoryIndex();
    const { store: victim } = await openSimStore(copy, { index });
    const died = copy.dieAfter(operations);
    const archived = victim.archive({ endedBefore }).then(() => 'over');
    isOver = (await Promise.race([archived, died])) === 'over';
    copy.kill();
    const { store, recovery } = await openSimStore(copy, { index: new MemoryIndex(index.copy()) });
    await look(store, recovery, `after ${operations} operations`);
    await store.close();
  }
}
