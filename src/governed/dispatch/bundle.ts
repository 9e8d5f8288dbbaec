/** Writes what somebody gets for a turn. It is there whole or not at all, and what was there before is gone. */

import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assignmentOf, type ToDispatch } from '../engine/dispatch/assignment.ts';
import { contextOf } from '../engine/dispatch/context.ts';
import { bundleFolder, RUN_FOLDER } from '../engine/dispatch/paths.ts';
import { promptOf } from '../engine/dispatch/prompt.ts';
import { type GovernedConfig, getActiveTurn, type RunState, type Turn } from '../index.ts';
import { own, type Unknowns } from '../engine/lib/unknown-record.ts';
import { makeFolder, syncFolder } from '../../system/make-folder.ts';
import { draftOf } from '../../system/atomic-file.ts';
import { filesOf, recordsIn } from '../files/read-text.ts';
import { FileRefusal, type NotDone, orRefusal } from '../../node/governed/refusal.ts';
import { checkTurnId, placeIn } from '../../node/governed/safe-place.ts';
import { asText, readWhole, writeWhole } from '../../node/governed/whole-file.ts';
import { writeDispatchIndex } from '../../node/governed/dispatch/index-file.ts';

export interface BundleOptions {
  /** May be left out if one turn is out. */
  readonly turnId?: string;
  readonly warnings?: readonly string[];
  /** What was accepted so far; by default read from the files of the run. */
  readonly history?: readonly Unknowns[];
  readonly ledger?: readonly Unknowns[];
  /** Files beside the three, by name: what a coordinator tells. Those of a bundle that is written again stay. */
  readonly beside?: Readonly<Record<string, string>>;
}

export interface BundleWritten {
  readonly ok: true;
  /** Relative to the root. */
  readonly bundlePath: string;
  readonly files: readonly string[];
  readonly warnings: readonly string[];
}

export function writeBundle(
  root: string,
  state: RunState,
  config: GovernedConfig,
  options: BundleOptions = {},
): Promise<BundleWritten | NotDone> {
  return orRefusal(async () => {
    const turn = turnFor(state, options.turnId);
    const bundlePath = bundleFolder(turn.turn_id);
    const folder = await placeIn(root, bundlePath);
    const { warnings = [] } = options;
    const { files, noted } = await contentOf(root, { state, config, turn, warnings }, options);
    const all = { ...(options.beside ?? (await besideBefore(folder))), ...files };
    await replaceFolder(folder, all);
    await writeDispatchIndex(root, state);
    return { ok: true, bundlePath, files: Object.keys(all).sort(), warnings: [...warnings, ...noted] };
  });
}

const COORDINATOR_FILES = ['COORDINATOR_CONTEXT.json', 'COORDINATOR_CONTEXT.md'];

async function besideBefore(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const name of COORDINATOR_FILES) {
    const text = await readWhole(join(folder, name));
    if (text !== null) found[name] = text;
  }
  return found;
}

export function turnFor(state: RunState, turnId: string | undefined): Turn {
  const turn = turnId === undefined ? getActiveTurn(state) : own(state.active_turns, turnId);
  if (turn === null || turn === undefined) {
    throw new FileRefusal('turn_not_active', `${turnId ?? 'a turn'} is not out${turnId === undefined ? ' alone' : ''}`);
  }
  checkTurnId(turn.turn_id);
  return turn;
}

async function contentOf(
  root: string,
  given: ToDispatch,
  { history, ledger }: BundleOptions,
): Promise<{ readonly files: Readonly<Record<string, string>>; readonly noted: readonly string[] }> {
  const files = filesOf(root);
  const past = {
    history: history ?? recordsIn(await wholeText(root, 'history.jsonl')),
    ledger: ledger ?? recordsIn(await wholeText(root, 'decision-ledger.jsonl')),
    files,
  };
  const prompt = promptOf(given, files(`${RUN_FOLDER}/prompts/${given.turn.assigned_role}.md`));
  return {
    files: {
      'ASSIGNMENT.json': asText(assignmentOf(given)),
      'PROMPT.md': prompt.text,
      'CONTEXT.md': contextOf(given, past),
    },
    noted: prompt.warnings,
  };
}

async function wholeText(root: string, name: string): Promise<string | null> {
  const place = await placeIn(root, `${RUN_FOLDER}/${name}`);
  return readFile(place, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
}

async function replaceFolder(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const draft = draftOf(folder);
  await makeFolder(draft);
  try {
    for (const [name, text] of Object.entries(files)) await writeWhole(join(draft, name), text);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true });
    throw thrown;
  }
  await syncFolder(dirname(folder));
}
