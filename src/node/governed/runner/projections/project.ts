/** Writes what the logs say into the files of the project. The log wins: what differs is mended, whoever changed it. */

import { readdir } from 'node:fs/promises';
import { RUN_FOLDER } from '../../../../governed/engine/dispatch/paths.ts';
import { cleanUpTurn } from '../../../../governed/dispatch/turn-files.ts';
import { writeDispatchIndex } from '../../dispatch/index-file.ts';
import { placeIn } from '../../safe-place.ts';
import { asText } from '../../whole-file.ts';
import { RunnerRefusal } from '../../../../governed/runner/contract/failure.ts';
import { BOOKS, linesBefore } from '../found-files.ts';
import type { OpenRun } from '../open-run.ts';
import { booksShown } from './books.ts';
import { writeIfOther, writeLines } from './write-lines.ts';

export async function project(run: OpenRun): Promise<void> {
  const { root, logs, means } = run;
  if (logs.current === null) return;
  const shown = booksShown(logs.runs);
  const write = async (name: string, text: string) => writeLines(await placeIn(root, `${RUN_FOLDER}/${name}`), text);
  await write(BOOKS.history, linesOf(shown.history));
  await means.reached('projected_history');
  await write(BOOKS.ledger, linesOf(shown.ledger));
  await means.reached('projected_ledger');
  await write(BOOKS.repoDecisions, (await linesBefore(root, BOOKS.repoDecisions)) + linesOf(shown.repoDecisions));
  await means.reached('projected_repo_decisions');
  await write(BOOKS.events, (await linesBefore(root, BOOKS.events)) + linesOf(shown.events));
  await means.reached('projected_events');
  await writeIfOther(await placeIn(root, `${RUN_FOLDER}/${BOOKS.state}`), asText(shown.state));
  await means.reached('projected_state');
  await writeDispatchIndex(root, shown.state);
  await means.reached('projected_index');
}

const TURN_FOLDERS = ['dispatch/turns', 'dispatch/runtime', 'staging'];

/** The files of turns that were accepted go, also those of a runner that was ended before it could. */
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
  return readdir(await placeIn(root, `${RUN_FOLDER}/${folder}`)).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return [];
    throw thrown;
  });
}

function linesOf(entries: readonly object[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
