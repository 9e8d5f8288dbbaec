/**
 * Opens the index of a data folder. One that is damaged must not keep a hub from starting or running: everything in it is
 * in the journal, so it is thrown away and built anew. lmdb maps its file, and damage can end the process instead of being
 * thrown; so a small file beside it tells the next start how the last ones ended.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKPOINT_KEY } from './index/index-keys.ts';
import { LmdbIndex } from './index/lmdb-index.ts';
import { INDEX_FOLDER } from './maintenance/data-format.ts';

const STATE_NAME = 'index-state.json';
/** From either end; enough to come through every level of the tree. */
const PROBED_KEYS = 100;
/** Before and behind every key. */
const [FIRST, LAST] = ['\0', '\u007f'];
/** So many hubs in a row that came to no good end, soon after their start, may have met the same damage. */
const MAX_BAD_ENDS = 3;

interface IndexState {
  /** Starts since one that ended well, or ran for a while. */
  readonly starts: number;
  /** The index was being looked at, or was found to be damaged. */
  readonly suspect: boolean;
  /** Nothing is wrong with it, and the next start builds another all the same. */
  readonly renew?: boolean;
}

export interface OpenedIndex {
  readonly index: LmdbIndex;
  /** The last process wanted another one. */
  readonly wasRenewed: boolean;
  /** The next start does not use it. */
  isBad(): void;
  /** The next start builds another, though nothing is wrong with it. */
  renew(): void;
  /** It was in use for a while, or to a good end. */
  isFine(): void;
}

export async function openIndex(folder: string): Promise<OpenedIndex> {
  const path = join(folder, INDEX_FOLDER);
  const write = (state: IndexState): void => {
    try {
      writeFileSync(join(folder, STATE_NAME), JSON.stringify(state), { mode: 0o600 });
    } catch {
      // It is only a hint; a disk that takes nothing is told by the journal.
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

/** A state that cannot be read says nothing. */
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

/** What is in it is said in sessions: its folder is for its owner alone. */
function opened(path: string): LmdbIndex {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return new LmdbIndex(path);
}
