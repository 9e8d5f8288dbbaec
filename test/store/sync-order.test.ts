// An answer is never given before its bytes and its file name are synced.

import { describe, expect, it } from 'vitest';
import type { HeadToken } from '../../src/core/ports/store.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import type { Files } from '../../src/store/journal/files.ts';
import { realFiles } from '../../src/store/journal/real-files.ts';
import { recoverStore } from '../../src/store/recover.ts';
import { unit } from '../support/sample-records.ts';
import { SimDisk } from '../support/sim-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { patchFiles } from './journal/patched-files.ts';
import { Watch } from './watched-files.ts';

/** Small: a run fills several. */
const SEGMENT_BYTES = 8 * 1024;
const LOGS = ['a', 'b', 'c'].map((letter) => letter.repeat(32));

const DISKS = [
  { disk: 'a real disk', run: onRealDisk },
  { disk: 'a simulated disk', run: onSimDisk },
] as const;

describe.each(DISKS)('on $disk', ({ run }) => {
  it('[DS5, L1] answers no append before its bytes and file name are synced', async () => {
    const { faults, answered, watch } = await run((below, watch) => watch.files(below));
    expect(faults).toEqual([]);
    expect(answered).toBe(240);
    expect(watch.segments.size).toBeGreaterThan(5);
    // One sync per append would prove nothing about groups.
    expect(watch.syncs).toBeLessThan(answered);
  });

  it('[DS5] detects a port that claims a sync it did not do', async () => {
    const { faults } = await run((below, watch) =>
      patchFiles(watch.files(below), { file: () => ({ sync: async () => {} }) }),
    );
    expect(faults[0]).toContain('before the sync of its bytes returned');
    expect(faults.length).toBe(240);
  });

  it('[DS5] detects a port that returns before its sync', async () => {
    const { faults } = await run((below, watch) => {
      const watched = watch.files(slow(below, 'files'));
      return patchFiles(watched, { file: (file) => ({ sync: async () => void file.sync() }) });
    });
    expect(faults[0]).toContain('before the sync of its bytes returned');
  });

  it('[DS5] detects a port that does not sync file names', async () => {
    const { faults } = await run((below, watch) =>
      patchFiles(watch.files(below), { folder: { syncFolder: async () => {} } }),
    );
    expect(faults[0]).toContain('before the name of');
  });

  it('[DS5] detects a port that syncs file names too late', async () => {
    const { faults } = await run((below, watch) => {
      const watched = watch.files(slow(below, 'folder'));
      return patchFiles(watched, { folder: { syncFolder: async () => void watched.syncFolder() } });
    });
    expect(faults[0]).toContain('before the name of');
  });
});

type Wire = (below: Files, watch: Watch) => Files;

interface Result {
  readonly faults: readonly string[];
  readonly answered: number;
  readonly watch: Watch;
}

async function onRealDisk(wire: Wire): Promise<Result> {
  return burstsOf(await realFiles(tempFolder('sync')), wire);
}

function onSimDisk(wire: Wire): Promise<Result> {
  return burstsOf(new SimDisk(), wire);
}

/** Bursts of appends to several logs, some while the previous is being synced. */
async function burstsOf(below: Files, wire: Wire): Promise<Result> {
  const watch = new Watch();
  const ports = {
    after: () => () => {},
    onDamage: () => {},
    onIndexDamaged: () => {},
    onIndexRenewed: () => {},
    onClosed: async () => {},
  };
  const parts = { index: new MemoryIndex(), journalId: 'watched', segmentBytes: SEGMENT_BYTES, ports };
  const { store } = await recoverStore({ ...parts, files: wire(below, watch) });
  const faults: string[] = [];
  const heads = new Map<string, HeadToken>();
  const answers: Promise<void>[] = [];
  for (let number = 0; number < 240; number++) {
    const session_id = LOGS[number % LOGS.length] ?? '';
    const words = `number ${number}.`;
    const seq = Math.floor(number / LOGS.length) + 1;
    const what = unit({ session_id, seq, event_data: { text: words } });
    const { token, outcome } = store.append(session_id, heads.get(session_id) ?? null, what);
    heads.set(session_id, token);
    answers.push(
      outcome.then(({ kind }) => {
        const fault = kind === 'durable' ? watch.fault(words) : `"${words}" ${kind}`;
        if (fault !== null) faults.push(fault);
      }),
    );
    if (number % 10 === 9) await turns(number % 3);
    if (number % 60 === 59) await Promise.all(answers);
  }
  await Promise.all(answers);
  await store.close();
  return { faults, answered: answers.length, watch };
}

/** A disk whose syncs take some ticks, so that a store that does not wait answers too early. */
function slow(below: Files, what: 'files' | 'folder'): Files {
  const later = async (sync: () => Promise<void>): Promise<void> => {
    await turns(20);
    await sync();
  };
  if (what === 'folder') return patchFiles(below, { folder: { syncFolder: () => later(() => below.syncFolder()) } });
  return patchFiles(below, { file: (file) => ({ sync: () => later(() => file.sync().catch(isClosed)) }) });
}

/** A store that does not wait for its sync may have closed the file. */
function isClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EBADF' && error.code !== 'ERR_OUT_OF_RANGE') throw error;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
