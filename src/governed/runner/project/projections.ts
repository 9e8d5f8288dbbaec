/**
 * Projects the logs into the project's run files. The log takes precedence: a file that differs is repaired.
 * Keeps a correct line file, extends a file that is a prefix, and rewrites any other.
 */

import { constants } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { asText, writeFileAtomic } from '../../../system/atomic-file.ts';
import { cleanUpTurn, writeDispatchIndex } from '../../dispatch/turn-files.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import { EMPTY_STATE, type RunState } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { resolveInside } from '../../files/safe-path.ts';
import type { RunRecord } from '../../session/index.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import type { RunLog } from '../log/run-log.ts';
import type { OpenRun } from '../log/runner-context.ts';
import { linesBefore, RUN_FILES } from './imported-files.ts';

export async function project(run: OpenRun): Promise<void> {
  const { root, logs, means } = run;
  if (logs.current === null) return;
  const shown = toRunFiles(logs.runs);
  const write = async (name: string, text: string) =>
    writeLines(await resolveInside(root, `${RUN_FOLDER}/${name}`), text);
  await write(RUN_FILES.history, linesOf(shown.history));
  await means.reached('projected_history');
  await write(RUN_FILES.ledger, linesOf(shown.ledger));
  await means.reached('projected_ledger');
  const oldDecisions = await linesBefore(root, RUN_FILES.repoDecisions);
  await write(RUN_FILES.repoDecisions, oldDecisions + linesOf(shown.repoDecisions));
  await means.reached('projected_repo_decisions');
  await write(RUN_FILES.events, (await linesBefore(root, RUN_FILES.events)) + linesOf(shown.events));
  await means.reached('projected_events');
  await writeIfChanged(await resolveInside(root, `${RUN_FOLDER}/${RUN_FILES.state}`), asText(shown.state));
  await means.reached('projected_state');
  await writeDispatchIndex(root, shown.state);
  await means.reached('projected_index');
}

const TURN_FOLDERS = ['dispatch/turns', 'dispatch/runtime', 'staging'];

/** Deletes the files of accepted turns, including those that a crashed runner left. */
export async function clearAccepted(run: OpenRun): Promise<void> {
  const { root, logs, means } = run;
  const state = logs.current?.record.state;
  if (state === undefined) return;
  const accepted = new Set(logs.runs.flatMap(({ record }) => record.state.books.turns));
  const found = new Set((await Promise.all(TURN_FOLDERS.map((name) => namesIn(root, name)))).flat());
  for (const turnId of found) {
    if (!accepted.has(turnId) || Object.hasOwn(state.run.active_turns, turnId)) continue;
    const done = await cleanUpTurn(root, state.run, turnId);
    if (!done.ok) throw new RunnerRefusal(done.error_code, done.error);
  }
  await means.reached('cleaned_up');
}

async function namesIn(root: string, folder: string): Promise<readonly string[]> {
  return readdir(await resolveInside(root, `${RUN_FOLDER}/${folder}`)).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return [];
    throw thrown;
  });
}

function linesOf(entries: readonly object[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

interface RunFiles {
  readonly state: RunState;
  readonly history: readonly object[];
  readonly ledger: readonly object[];
  readonly repoDecisions: readonly object[];
  readonly events: readonly object[];
}

function toRunFiles(runs: readonly RunLog[]): RunFiles {
  const records = runs.map(({ record }) => record);
  return {
    state: records.at(-1)?.state.run ?? EMPTY_STATE,
    // A run that continued in another session has entries in both logs.
    history: withoutRepeats(records, 'history', ['run_id', 'turn_id'], 'turn_id'),
    ledger: withoutRepeats(records, 'ledger', ['run_id', 'turn_id', 'id'], 'id'),
    repoDecisions: records.flatMap(({ repoDecisions }) => repoDecisions),
    events: records.flatMap(({ events }) => events),
  };
}

/** Drops repeated entries; keeps all entries without an id. */
function withoutRepeats(
  records: readonly RunRecord[],
  list: 'history' | 'ledger',
  keys: readonly string[],
  id: string,
): readonly object[] {
  const seen = new Set<string>();
  return records
    .flatMap((record): readonly object[] => record[list])
    .filter((entry) => {
      const members = entry as UnknownRecord;
      if (typeof members[id] !== 'string') return true;
      const key = JSON.stringify(keys.map((name) => members[name] ?? null));
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

async function writeLines(place: string, text: string): Promise<void> {
  const wanted = Buffer.from(text);
  const found = await bytesOf(place);
  if (found?.equals(wanted) === true) return;
  const isBeginning = found !== null && found.length < wanted.length && wanted.subarray(0, found.length).equals(found);
  // A file with a torn last line is a prefix too; appending completes the line.
  if (isBeginning) await append(place, wanted.subarray(found.length));
  else await writeFileAtomic(place, wanted);
}

/** Writes atomically. */
async function writeIfChanged(place: string, text: string): Promise<void> {
  const found = await bytesOf(place);
  if (found?.equals(Buffer.from(text)) !== true) await writeFileAtomic(place, text);
}

async function append(place: string, rest: Buffer): Promise<void> {
  const { O_APPEND, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(place, O_APPEND | O_NOFOLLOW | O_WRONLY);
  try {
    await file.appendFile(rest);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Returns null if there is no file. */
async function bytesOf(place: string): Promise<Buffer | null> {
  return readFile(place).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
}
