/**
 * Opens the index of a data folder. A damaged index must not stop a hub: it is discarded and rebuilt from the journal.
 * Damage in lmdb's mapped file can crash the process, so a small file records how the last starts ended.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKPOINT_KEY } from './index/index-keys.ts';
import { LmdbIndex } from './index/lmdb-index.ts';
import { INDEX_FOLDER } from './maintenance/data-format.ts';

const STATE_NAME = 'index-state.json';
/** Keys to read from each end of the index; enough to visit every level of the tree. */
const PROBED_KEYS = 100;
/** Sort before and after every key. */
const [FIRST, LAST] = ['\0', '\u007f'];
/** After this many consecutive early crashes, suspect the index. */
const MAX_BAD_ENDS = 3;

interface IndexState {
  /** Number of starts since the last one that closed properly or ran for a while. */
  readonly starts: number;
  /** True while the index is being probed, and after it was found damaged. */
  readonly suspect: boolean;
  /** True if the next start must rebuild the index although it is intact. */
  readonly renew?: boolean;
}

export interface OpenedIndex {
  readonly index: LmdbIndex;
  /** True if the previous process requested a rebuild. */
  readonly wasRenewed: boolean;
  /** Marks the index as damaged: the next start discards it. */
  isBad(): void;
  /** Makes the next start rebuild the index although it is intact. */
  renew(): void;
  /** Marks the index as good. Call when it was used for a while or closed properly. */
  isFine(): void;
}

export async function openIndex(folder: string): Promise<OpenedIndex> {
  const path = join(folder, INDEX_FOLDER);
  const write = (state: IndexState): void => {
    try {
      writeFileSync(join(folder, STATE_NAME), JSON.stringify(state), { mode: 0o600 });
    } catch {
      // The state file is only a hint; if the disk fails, the journal reports it.
    }
  };
  const last = readState(join(folder, STATE_NAME));
  const wasRenewed = last.renew === true;
  const isTrusted = !last.suspect && !wasRenewed && last.starts < MAX_BAD_ENDS;
  if (!isTrusted) await rm(path, { recursive: true, force: true });
  const starts = isTrusted ? last.starts + 1 : 1;
  write({ starts, suspect: true });
  const index = await probed(path).catch(async () => {
    await rm(path, { recursive: true, force: true });
    return opened(path);
  });
  write({ starts, suspect: false });
  let isKnownBad = false;
  return {
    index,
    wasRenewed,
    renew() {
      isKnownBad = true;
      write({ starts, suspect: false, renew: true });
    },
    isBad() {
      isKnownBad = true;
      write({ starts, suspect: true });
    },
    isFine() {
      if (!isKnownBad) write({ starts: 0, suspect: false });
    },
  };
}

/** Treats an unreadable state file as a missing one. */
function readState(path: string): IndexState {
  try {
    const { starts, suspect, renew }: { readonly [Name in keyof IndexState]?: unknown } = JSON.parse(
      readFileSync(path, 'utf8'),
    );
    return { starts: typeof starts === 'number' ? starts : 0, suspect: suspect === true, renew: renew === true };
  } catch {
    return { starts: 0, suspect: false };
  }
}

async function probed(path: string): Promise<LmdbIndex> {
  const index = opened(path);
  try {
    index.get(CHECKPOINT_KEY);
    for (const reverse of [false, true]) {
      let left = PROBED_KEYS;
      for (const { key } of index.range(FIRST, LAST, { reverse })) {
        index.get(key);
        left -= 1;
        if (left === 0) break;
      }
    }
    return index;
  } catch (thrown) {
    await index.close();
    throw thrown;
  }
}

/** Opens the index. It contains session content, so only the owner may read the folder. */
function opened(path: string): LmdbIndex {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return new LmdbIndex(path);
}
