/** Reads the files of a super run in the coordinator's `.agentxchain/multirepo/`. */

import { join } from 'node:path';
import { readFileOrNull } from '../../system/atomic-file.ts';
import type {
  BarrierLedgerEntry,
  Barriers,
  CoordinatorChange,
  CoordinatorState,
  HistoryLine,
} from '../engine/index.ts';
import type { Changes } from './commit.ts';
import { resolveRealPath } from './repos.ts';

export const COORDINATOR_CONFIG = 'agentxchain-multi.json';
const MULTIREPO = '.agentxchain/multirepo';

const STATE = 'state.json';
const BARRIERS = 'barriers.json';
const HISTORY = 'history.jsonl';
const BARRIER_LEDGER = 'barrier-ledger.jsonl';
const DECISIONS = 'decision-ledger.jsonl';

export interface CoordinatorFiles {
  /** null if no super run has begun. */
  readonly state: CoordinatorState | null;
  readonly barriers: Barriers;
  readonly history: readonly unknown[];
  readonly decisions: readonly unknown[];
}

/** Returns null if a link leads elsewhere: the coordinator must not write into a repo. */
export async function coordinatorFolder(root: string): Promise<string | null> {
  const folder = join(root, MULTIREPO);
  return (await resolveRealPath(folder)) === folder ? folder : null;
}

export async function readCoordinatorFiles(folder: string): Promise<CoordinatorFiles> {
  const state = await readFileOrNull(join(folder, STATE));
  const barriers = await readFileOrNull(join(folder, BARRIERS));
  return {
    state: state === null ? null : (JSON.parse(state) as CoordinatorState),
    barriers: barriers === null ? {} : (JSON.parse(barriers) as Barriers),
    history: linesOf(await readFileOrNull(join(folder, HISTORY))),
    decisions: linesOf(await readFileOrNull(join(folder, DECISIONS))),
  };
}

function linesOf(text: string | null): readonly unknown[] {
  const lines = (text ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line): unknown => JSON.parse(line));
}

export interface Kept {
  readonly state?: CoordinatorState;
  readonly barriers?: Barriers;
  readonly history?: readonly HistoryLine[];
  readonly barrier_ledger?: readonly BarrierLedgerEntry[];
  readonly decisions?: CoordinatorChange['decisions'];
}

export function changesOf({ state, barriers, history = [], barrier_ledger = [], decisions = [] }: Kept): Changes {
  return {
    appends: { [HISTORY]: history, [BARRIER_LEDGER]: barrier_ledger, [DECISIONS]: decisions },
    writes: {
      ...(barriers === undefined ? {} : { [BARRIERS]: barriers }),
      ...(state === undefined ? {} : { [STATE]: state }),
    },
  };
}
