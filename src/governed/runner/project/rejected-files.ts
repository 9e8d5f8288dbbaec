/** The turn a call is about, and the results of it that were rejected: one file for each. */

import { asText, readFileOrNull, writeFileAtomic } from '../../../system/atomic-file.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import { digestOf, getActiveTurn, getActiveTurnCount, type RunState, type Turn } from '../../engine/index.ts';
import { getOwn, parseRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { checkTurnId, resolveInside } from '../../files/safe-path.ts';
import type { StagedResult } from '../../staging/staged-result.ts';
import { badArgument, RunnerRefusal } from '../contract/failure.ts';
import type { Running } from '../log/runner-context.ts';

/** Throws unless it is out; without an id, unless exactly one is. */
export function requireActiveTurn({ log }: Running, turnId: unknown): Turn {
  const { run, books } = log.record.state;
  if (turnId === undefined || turnId === null) return onlyTurn(run);
  if (typeof turnId !== 'string') throw badArgument('turnId', 'the id of a turn', turnId);
  checkTurnId(turnId);
  const turn = getOwn(run.active_turns, turnId);
  if (turn !== undefined) return turn;
  const details = { turn_id: turnId };
  if (books.turns.includes(turnId)) {
    const error = `turn ${turnId} was accepted before`;
    throw new RunnerRefusal('turn_already_accepted', error, { error_type: 'turn_already_accepted', details });
  }
  const error = `turn ${turnId} is not out`;
  throw new RunnerRefusal('turn_not_active', error, { error_type: 'turn_not_active', details });
}

function onlyTurn(run: RunState): Turn {
  const turn = getActiveTurn(run);
  if (turn !== null) return turn;
  const count = getActiveTurnCount(run);
  if (count === 0) throw new RunnerRefusal('not_found', `no turn of run ${run.run_id} is out`);
  const out = Object.keys(run.active_turns);
  const error = `${count} turns are out (${out.join(', ')}): say which by turnId`;
  throw new RunnerRefusal('target_required', error, { details: { turns: out } });
}

type Attempt = Pick<Turn, 'turn_id' | 'attempt'>;

/** Under the same name however often the same is tried, and never over something else. */
export async function addRejected(root: string, attempt: Attempt, entry: UnknownRecord): Promise<void> {
  const kept = await rejectedOf(root, attempt);
  if (kept.some((one) => isSame(one, entry))) return;
  await writeFileAtomic(await resolveInside(root, pathOf(attempt, kept.length + 1)), asText(entry));
}

/** All of that attempt, oldest first; one that cannot be read stands as an empty one. */
async function rejectedOf(root: string, attempt: Attempt): Promise<readonly UnknownRecord[]> {
  const kept: UnknownRecord[] = [];
  for (;;) {
    const text = await readFileOrNull(await resolveInside(root, pathOf(attempt, kept.length + 1)));
    if (text === null) return kept;
    kept.push(parseRecord(text) ?? {});
  }
}

/** Refuses a rejected result as the next attempt: a crash may have left it staged. The same text written again is a new result. */
export async function requireNotRejected(
  { root }: Running,
  turn: Turn,
  { sha256, version }: Extract<StagedResult, { kind: 'ready' }>,
): Promise<void> {
  const before = { turn_id: turn.turn_id, attempt: turn.attempt - 1 };
  if (!(await rejectedOf(root, before)).some((kept) => writtenAt(kept.version) === writtenAt(version))) return;
  const error = `turn ${turn.turn_id}: what is staged is the result of attempt ${before.attempt}, which was rejected`;
  throw new RunnerRefusal('stale_staging', error, { details: { turn_id: turn.turn_id, sha256 } });
}

/** The file and when it was written; moving it aside and back changes neither. */
function writtenAt(version: unknown): string {
  return String(version).split(':').slice(0, 4).join(':');
}

function pathOf({ turn_id, attempt }: Attempt, nth: number): string {
  return `${RUN_FOLDER}/dispatch/rejected/${turn_id}-attempt-${attempt}${nth === 1 ? '' : `-${nth}`}.json`;
}

/** A call that was cut short and is made again differs in its time alone. */
function isSame(one: UnknownRecord, other: UnknownRecord): boolean {
  return digestOf({ ...one, rejected_at: null }) === digestOf({ ...other, rejected_at: null });
}
