/** The files of a run that another program has driven: read once, and kept as they were found. */

import { RUN_FOLDER } from '../../../governed/engine/dispatch/paths.ts';
import { isRecord, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { recordsIn } from '../../../governed/files/read-text.ts';
import { placeIn } from '../safe-place.ts';
import { readWhole, writeWhole } from '../whole-file.ts';
import { RunnerRefusal } from '../../../governed/runner/contract/failure.ts';

export const BOOKS = {
  state: 'state.json',
  history: 'history.jsonl',
  ledger: 'decision-ledger.jsonl',
  repoDecisions: 'repo-decisions.jsonl',
  events: 'events.jsonl',
} as const;

const KEPT_FOLDER = 'imported';

export interface FoundFiles {
  readonly state: Unknowns;
  readonly history: readonly Unknowns[];
  readonly ledger: readonly Unknowns[];
  readonly texts: Readonly<Record<string, string>>;
}

/** null = there is no state. */
export async function filesFound(root: string): Promise<FoundFiles | null> {
  const texts = await textsFound(root);
  const text = texts[BOOKS.state];
  if (text === undefined) return null;
  const state = parsed(text);
  if (state === null) {
    throw new RunnerRefusal('invalid_state', `${RUN_FOLDER}/${BOOKS.state}: expected a JSON object, and it is none`);
  }
  const carried = state.repo_decisions ?? recordsIn(texts[BOOKS.repoDecisions] ?? '');
  return {
    state: { ...state, repo_decisions: carried },
    history: recordsIn(texts[BOOKS.history] ?? ''),
    ledger: recordsIn(texts[BOOKS.ledger] ?? ''),
    texts,
  };
}

async function textsFound(root: string): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const name of Object.values(BOOKS)) {
    const text = await readBook(root, name);
    if (text !== null) texts[name] = text;
  }
  return texts;
}

/** Books without a state belong to no run, and are not written over all the same. */
export async function keepLooseBooks(root: string): Promise<void> {
  const texts = await textsFound(root);
  if (texts[BOOKS.state] === undefined) await keepFound(root, { texts });
}

/** What a log does not tell again stays readable. */
export async function keepFound(root: string, { texts }: Pick<FoundFiles, 'texts'>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    await writeWhole(await placeIn(root, `${RUN_FOLDER}/${KEPT_FOLDER}/${name}`), text);
  }
}

/** The lines of a book that were there before the log. */
export async function linesBefore(root: string, name: string): Promise<string> {
  const text = await readBook(root, `${KEPT_FOLDER}/${name}`);
  return recordsIn(text)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

async function readBook(root: string, name: string): Promise<string | null> {
  return readWhole(await placeIn(root, `${RUN_FOLDER}/${name}`));
}

function parsed(text: string): Unknowns | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
