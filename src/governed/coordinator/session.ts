/** Runs one read and one change under the lock, so that no other process changes the files in between. */

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import type { Clock, Ids } from '../../core/ports/platform.ts';
import { readFileOrNull } from '../../system/atomic-file.ts';
import type { ChangeOutcome } from '../engine/coordinator/change.ts';
import {
  type CoordinatorConfig,
  type CoordinatorRefusal,
  type CoordinatorState,
  type CoordinatorView,
  checkCoordinatorConfig,
  type RepoFacts,
} from '../engine/index.ts';
import { type HeldLock, takeLock } from '../files/lock.ts';
import { type CommitStep, commit, finishCommit } from './commit.ts';
import type { RepoRuns } from './repo-runs.ts';
import { findRepos, type RepoRoots, readRepos } from './repos.ts';
import {
  COORDINATOR_CONFIG,
  type CoordinatorFiles,
  changesOf,
  coordinatorFolder,
  type Kept,
  readCoordinatorFiles,
} from './run-files.ts';

export interface CoordinatorPorts {
  readonly runs: RepoRuns;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called after a step is durable; a crash before the call skips it. Errors thrown here are ignored. */
  readonly hooks?: (
    phase: 'after_acceptance' | 'on_escalation',
    payload: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  readonly lockWaitMs?: number;
  /** Called before each step of a commit. */
  readonly onStep?: (step: CommitStep, file: string) => void;
}

export interface CoordinatorFailure {
  readonly ok: false;
  readonly error_code: string;
  readonly error: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface Session {
  readonly folder: string;
  readonly config: CoordinatorConfig;
  readonly roots: RepoRoots;
  readonly facts: Readonly<Record<string, RepoFacts>>;
  readonly books: CoordinatorFiles;
  readonly now: string;
  /** Returns null if the changes were saved. */
  keep(kept: Kept): Promise<CoordinatorFailure | null>;
}

export async function inSession<T extends { readonly ok: boolean }>(
  root: string,
  ports: CoordinatorPorts,
  use: (session: Session) => Promise<T>,
): Promise<T | CoordinatorFailure> {
  let lock: HeldLock | null = null;
  try {
    const here = await realpath(root);
    const folder = await coordinatorFolder(here);
    if (folder === null) return failure('linked_folder', `${here}: a link leads away from the coordinator's own files`);
    const { clock, lockWaitMs } = ports;
    const wait = lockWaitMs === undefined ? {} : { waitMs: lockWaitMs };
    const locked = await takeLock(join(folder, 'lock'), { owner: 'coordinator', clock, ...wait });
    if (!locked.ok) return locked;
    lock = locked.lock;
    return await opened(here, folder, lock, ports, use);
  } catch (thrown) {
    return failure('coordinator_failed', asError(thrown).message);
  } finally {
    await lock?.release();
  }
}

async function opened<T extends { readonly ok: boolean }>(
  root: string,
  folder: string,
  lock: HeldLock,
  ports: CoordinatorPorts,
  use: (session: Session) => Promise<T>,
): Promise<T | CoordinatorFailure> {
  await finishCommit(folder, lock.isHeld);
  const text = await readFileOrNull(join(root, COORDINATOR_CONFIG));
  if (text === null) return failure('no_config', `there is no ${COORDINATOR_CONFIG} in ${root}`);
  const checked = checkCoordinatorConfig(JSON.parse(text));
  if (!checked.ok) return failure(checked.error_type, checked.faults.map(({ message }) => message).join('; '));
  const found = await findRepos(root, checked.config);
  if (!found.ok) return failure('bad_repo_path', found.problems.join('; '));
  const { token, isHeld } = lock;
  return use({
    folder,
    config: checked.config,
    roots: found.roots,
    facts: await readRepos(found.roots),
    books: await readCoordinatorFiles(folder),
    now: new Date(ports.clock.now()).toISOString(),
    async keep(kept) {
      const isKept = await commit(folder, changesOf(kept), { token, isHeld, onStep: ports.onStep });
      return isKept ? null : failure('lock_lost', 'another process took the lock over; look again');
    },
  });
}

export function viewOf({ config, books, facts }: Session): CoordinatorView | null {
  const { state, barriers, history } = books;
  return state === null ? null : { config, state, barriers, history, repos: facts };
}

export function failure(
  error_code: string,
  error: string,
  params: Readonly<Record<string, unknown>> = {},
): CoordinatorFailure {
  return { ok: false, error_code, error, params };
}

export function refusal({ error_code, error, error_type, params }: CoordinatorRefusal): CoordinatorFailure {
  return failure(error_code, error, { ...params, error_type });
}

export interface StateKept {
  readonly ok: true;
  readonly state: CoordinatorState;
}

export async function saveChange(session: Session, change: ChangeOutcome): Promise<StateKept | CoordinatorFailure> {
  if (!change.ok) return refusal(change);
  return (await session.keep(change)) ?? { ok: true, state: change.state };
}
