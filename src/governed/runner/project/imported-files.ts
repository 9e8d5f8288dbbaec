/** Reads and validates run files without a log, and saves copies before they are replaced. */

import { asError } from '../../../core/lib/errors.ts';
import { readFileOrNull, writeFileAtomic } from '../../../system/atomic-file.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import type { RunState } from '../../engine/index.ts';
import { parseRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { recordsIn } from '../../files/read-text.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { importedState } from '../../session/state/imported-state.ts';
import { RunnerRefusal } from '../contract/failure.ts';

export const RUN_FILES = {
  state: 'state.json',
  history: 'history.jsonl',
  ledger: 'decision-ledger.jsonl',
  repoDecisions: 'repo-decisions.jsonl',
  events: 'events.jsonl',
} as const;

const KEPT_FOLDER = 'imported';

interface ImportedFiles {
  readonly state: UnknownRecord;
  readonly history: readonly UnknownRecord[];
  readonly ledger: readonly UnknownRecord[];
  readonly texts: Readonly<Record<string, string>>;
}

/** Returns null if there is no state file. */
export async function readImportedFiles(root: string): Promise<ImportedFiles | null> {
  const texts = await textsFound(root);
  const text = texts[RUN_FILES.state];
  if (text === undefined) return null;
  const state = parseRecord(text);
  if (state === null) {
    throw new RunnerRefusal('invalid_state', `${RUN_FOLDER}/${RUN_FILES.state}: expected a JSON object`);
  }
  const carried = state.repo_decisions ?? recordsIn(texts[RUN_FILES.repoDecisions] ?? '');
  return {
    state: { ...state, repo_decisions: carried },
    history: recordsIn(texts[RUN_FILES.history] ?? ''),
    ledger: recordsIn(texts[RUN_FILES.ledger] ?? ''),
    texts,
  };
}

async function textsFound(root: string): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const name of Object.values(RUN_FILES)) {
    const text = await readRunFile(root, name);
    if (text !== null) texts[name] = text;
  }
  return texts;
}

/** Saves run files that have no state file and would otherwise be overwritten. */
export async function saveLooseFiles(root: string): Promise<void> {
  const texts = await textsFound(root);
  if (texts[RUN_FILES.state] === undefined) await saveImportedFiles(root, { texts });
}

/** Saves copies, because the log cannot restore everything in these files. */
export async function saveImportedFiles(root: string, { texts }: Pick<ImportedFiles, 'texts'>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    await writeFileAtomic(await resolveInside(root, `${RUN_FOLDER}/${KEPT_FOLDER}/${name}`), text);
  }
}

/** Returns the lines of a run file that predate the log. */
export async function linesBefore(root: string, name: string): Promise<string> {
  const text = await readRunFile(root, `${KEPT_FOLDER}/${name}`);
  return recordsIn(text)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

async function readRunFile(root: string, name: string): Promise<string | null> {
  return readFileOrNull(await resolveInside(root, `${RUN_FOLDER}/${name}`));
}

/** Returns null if there is no state file. Throws if the file is not a valid state. */
export async function stateOnDisk(root: string): Promise<RunState | null> {
  const found = await readImportedFiles(root);
  return found === null ? null : stateIn(found.state);
}

export function stateIn(found: UnknownRecord): RunState {
  try {
    return importedState(found, 'state');
  } catch (thrown) {
    throw new RunnerRefusal('invalid_state', `${RUN_FOLDER}/${RUN_FILES.state}: ${asError(thrown).message}`);
  }
}
