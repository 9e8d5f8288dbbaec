/** Resolves the turn of a call, and keeps its rejected results, one file each. */

import { asText, readFileOrNull, writeFileAtomic } from '../../../system/atomic-file.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import { digestOf, getActiveTurn, getActiveTurnCount, type RunState, type Turn } from '../../engine/index.ts';
import { getOwn, parseRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { checkTurnId, resolveInside } from '../../files/safe-path.ts';
import type { StagedResult } from '../../staging/staged-result.ts';
import { badArgument, RunnerRefusal } from '../contract/failure.ts';
import type { Running } from '../log/runner-context.ts';

/** Returns the active turn with this id or, without an id, the only active turn; throws if there is none. */
export function requireActiveTurn({ log }: Running, turnId: unknown): Turn {
  const { run, books } = log.record.state;
  if (turnId === undefined || turnId === null) return onlyTurn(run);
  if (typeof turnId !== 'string') throw badArgument('turnId', 'the id of a turn', turnId);
  checkTurnId(turnId);
  const turn = getOwn(run.active_turns, turnId);
  if (turn !== undefined) return turn;
  const details = { turn_id: turnId };
  if (books.turns.includes(turnId)) {
    const error = `turn ${turnId} was already accepted`;
    throw new RunnerRefusal('turn_already_accepted', error, { error_type: 'turn_already_accepted', details });
  }
  const error = `turn ${turnId} is not active`;
  throw new RunnerRefusal('turn_not_active', error, { error_type: 'turn_not_active', details });
}

function onlyTurn(run: RunState): Turn {
  const turn = getActiveTurn(run);
  if (turn !== null) return turn;
  const count = getActiveTurnCount(run);
  if (count === 0) throw new RunnerRefusal('not_found', `run ${run.run_id} has no active turn`);
  const turns = Object.keys(run.active_turns);
  const error = `${count} turns are active (${turns.join(', ')}): choose one with turnId`;
  throw new RunnerRefusal('target_required', error, { details: { turns } });
}

type Attempt = Pick<Turn, 'turn_id' | 'attempt'>;

/** Idempotent: a repeated call adds no file. Never overwrites a different result. */
export async function addRejected(root: string, attempt: Attempt, entry: UnknownRecord): Promise<void> {
  const kept = await rejectedOf(root, attempt);
  if (kept.some((one) => isSame(one, entry))) return;
  await writeFileAtomic(await resolveInside(root, pathOf(attempt, kept.length + 1)), asText(entry));
}

/** Returns all rejected results of an attempt, oldest first; an unreadable one counts as empty. */
async function rejectedOf(root: string, attempt: Attempt): Promise<readonly UnknownRecord[]> {
  const kept: UnknownRecord[] = [];
  for (;;) {
    const text = await readFileOrNull(await resolveInside(root, pathOf(attempt, kept.length + 1)));
    if (text === null) return kept;
    kept.push(parseRecord(text) ?? {});
  }
}

/** Refuses a rejected result that a crash left staged for the next attempt, unless the file was written again. */
export async function requireNotRejected(
  { root }: Running,
  turn: Turn,
  { sha256, version }: Extract<StagedResult, { kind: 'ready' }>,
): Promise<void> {
  const before = { turn_id: turn.turn_id, attempt: turn.attempt - 1 };
  if (!(await rejectedOf(root, before)).some((kept) => writtenAt(kept.version) === writtenAt(version))) return;
  const error = `turn ${turn.turn_id}: the staged file is the rejected result of attempt ${before.attempt}`;
  throw new RunnerRefusal('stale_staging', error, { details: { turn_id: turn.turn_id, sha256 } });
}

/** Returns device, inode, size and write time, which survive moving the file away and back. */
function writtenAt(version: unknown): string {
  return String(version).split(':').slice(0, 4).join(':');
}

function pathOf({ turn_id, attempt }: Attempt, nth: number): string {
  return `${RUN_FOLDER}/dispatch/rejected/${turn_id}-attempt-${attempt}${nth === 1 ? '' : `-${nth}`}.json`;
}

/** Ignores `rejected_at`, the only difference in a repeated call. */
function isSame(one: UnknownRecord, other: UnknownRecord): boolean {
  return digestOf({ ...one, rejected_at: null }) === digestOf({ ...other, rejected_at: null });
}
