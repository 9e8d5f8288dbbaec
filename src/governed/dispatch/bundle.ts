/** Writes the bundle of a turn atomically, lets hooks add files, and seals it. */

import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asText, draftOf, readFileOrNull, writeFileAtomic } from '../../system/atomic-file.ts';
import { makeFolder, syncFolder } from '../../system/make-folder.ts';
import { createAssignment, type DispatchInput } from '../engine/dispatch/assignment.ts';
import { createContextText } from '../engine/dispatch/context.ts';
import { bundleFolder, RUN_FOLDER } from '../engine/dispatch/paths.ts';
import { createPrompt } from '../engine/dispatch/prompt.ts';
import { type GovernedConfig, getActiveTurn, type RunState, type Turn } from '../engine/index.ts';
import { getOwn, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import { projectFiles, recordsIn } from '../files/read-text.ts';
import { checkTurnId, type FileFailure, FileRefusal, resolveInside, toFailure } from '../files/safe-path.ts';
import type { HookOptions } from '../hooks/phase-record.ts';
import { type HooksRun, runHooks } from '../hooks/run-hooks.ts';
import { finaliseManifest, observe, type SealResult } from './manifest.ts';
import { writeDispatchIndex } from './turn-files.ts';

interface BundleOptions {
  /** Default: the only active turn. */
  readonly turnId?: string;
  readonly warnings?: readonly string[];
  /** Default: read from the run files. */
  readonly history?: readonly UnknownRecord[];
  readonly ledger?: readonly UnknownRecord[];
  /** Extra files from a coordinator, by name (default: the extra files of the previous bundle). */
  readonly beside?: Readonly<Record<string, string>>;
}

interface BundleWritten {
  readonly ok: true;
  readonly bundlePath: string;
  readonly files: readonly string[];
  readonly warnings: readonly string[];
}

export function writeBundle(
  root: string,
  state: RunState,
  config: GovernedConfig,
  options: BundleOptions = {},
): Promise<BundleWritten | FileFailure> {
  return toFailure(async () => {
    const turn = turnFor(state, options.turnId);
    const bundlePath = bundleFolder(turn.turn_id);
    const folder = await resolveInside(root, bundlePath);
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
    const text = await readFileOrNull(join(folder, name));
    if (text !== null) found[name] = text;
  }
  return found;
}

function turnFor(state: RunState, turnId: string | undefined): Turn {
  const turn = turnId === undefined ? getActiveTurn(state) : getOwn(state.active_turns, turnId);
  if (turn === null || turn === undefined) {
    throw new FileRefusal('turn_not_active', `${turnId ?? 'a turn'} is not out${turnId === undefined ? ' alone' : ''}`);
  }
  checkTurnId(turn.turn_id);
  return turn;
}

async function contentOf(
  root: string,
  given: DispatchInput,
  { history, ledger }: BundleOptions,
): Promise<{ readonly files: Readonly<Record<string, string>>; readonly noted: readonly string[] }> {
  const files = projectFiles(root);
  const past = {
    history: history ?? recordsIn(await wholeText(root, 'history.jsonl')),
    ledger: ledger ?? recordsIn(await wholeText(root, 'decision-ledger.jsonl')),
    files,
  };
  const prompt = createPrompt(given, files(`${RUN_FOLDER}/prompts/${given.turn.assigned_role}.md`));
  return {
    files: {
      'ASSIGNMENT.json': asText(createAssignment(given)),
      'PROMPT.md': prompt.text,
      'CONTEXT.md': createContextText(given, past),
    },
    noted: prompt.warnings,
  };
}

async function wholeText(root: string, name: string): Promise<string | null> {
  const place = await resolveInside(root, `${RUN_FOLDER}/${name}`);
  return readFile(place, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
}

async function replaceFolder(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const draft = draftOf(folder);
  await makeFolder(draft);
  try {
    for (const [name, text] of Object.entries(files)) await writeFileAtomic(join(draft, name), text);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true });
    throw thrown;
  }
  await syncFolder(dirname(folder));
}

export interface SealOptions extends Pick<HookOptions, 'variables' | 'signal'> {
  readonly turnId?: string;
  readonly now: string;
}

export type BundleSealed = (SealResult & { readonly hooks: HooksRun }) | (FileFailure & { readonly hooks?: HooksRun });

export function sealDispatchBundle(
  root: string,
  state: RunState,
  config: GovernedConfig,
  { turnId, now, ...options }: SealOptions,
): Promise<BundleSealed> {
  return toFailure(async (): Promise<BundleSealed> => {
    const { turn_id, assigned_role } = turnFor(state, turnId);
    const bundle_path = bundleFolder(turn_id);
    const observed = (await observe(await resolveInside(root, bundle_path))) ?? [];
    const bundle_files = observed.map(({ path }) => path);
    const payload = { turn_id, role_id: assigned_role, bundle_path, bundle_files };
    // Hooks may add files but not change existing ones.
    const protection = { run_id: state.run_id, turn_id, protectedPaths: [bundle_path] };
    const hooks = await runHooks(root, config.hooks, 'after_dispatch', payload, { ...options, ...protection });
    if (!hooks.ok) {
      const { error = 'a hook stopped it', error_code = 'hook_blocked' } = hooks;
      return { ok: false, error, error_code, hooks };
    }
    const sealed = await finaliseManifest(root, { run_id: state.run_id, turn_id, role: assigned_role }, now);
    return { ...sealed, hooks };
  });
}
