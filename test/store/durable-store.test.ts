// The store in a folder meets the contract, on a real and a simulated disk.

import { join } from 'node:path';
import type { Store } from '../../src/core/ports/store.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { SimDisk } from '../support/sim-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { describeStore } from './contract/describe-store.ts';
import { openSimStore } from './sim-store.ts';

const segmentBytes = 256 * 1024;

describeStore(
  'DurableStore on a real disk',
  async () => {
    const root = tempFolder('store');
    const folders = new Map<Store, string>();
    const openIn = async (folder: string) => {
      const { store } = await openStore(folder, { segmentBytes });
      folders.set(store, folder);
      return store;
    };
    return {
      open: () => openIn(join(root, String(folders.size))),
      async reopen(store) {
        await store.close();
        return openIn(folders.get(store) ?? root);
      },
      cleanup: async () => {},
    };
  },
  { runs: 50 },
);

describeStore('DurableStore on a simulated disk', () => {
  const disks = new Map<Store, { disk: SimDisk; index: MemoryIndex }>();
  const openOn = async (disk: SimDisk, index: MemoryIndex) => {
    const { store } = await openSimStore(disk, { index });
    disks.set(store, { disk, index });
    return store;
  };
  return {
    open: () => openOn(new SimDisk(), new MemoryIndex()),
    async reopen(store) {
      await store.close();
      const { disk, index } = disks.get(store) ?? { disk: new SimDisk(), index: new MemoryIndex() };
      return openOn(disk, index);
    },
    async openHeld() {
      const disk = new SimDisk();
      const held: (() => void)[] = [];
      let isOpen = true;
      const defer = (run: () => void) => (isOpen ? void setImmediate(run) : void held.push(run));
      const { store } = await openSimStore(disk, { defer });
      isOpen = false;
      const sync = () => {
        for (const run of held.splice(0)) setImmediate(run);
      };
      const close = store.close.bind(store);
      store.close = () => {
        isOpen = true;
        sync();
        return close();
      };
      const failSync = () => {
        disk.fail({ operation: 'sync', nth: 1, code: 'EIO' });
        sync();
      };
      return { store, sync, failSync };
    },
    cleanup: async () => {},
  };
});
