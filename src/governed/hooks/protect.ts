/** Snapshots protected files before a hook runs and restores those it changed. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { draftOf, writeFileAtomic } from '../../system/atomic-file.ts';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import { statOrNull } from '../files/safe-path.ts';

const ALWAYS: readonly string[] = ['state.json', 'history.jsonl', 'decision-ledger.jsonl'].map(
  (name) => `${RUN_FOLDER}/${name}`,
);

type Kept =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly sha256: string; readonly mode: number }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'other' };

/** Protected files by path, relative to the root. */
export type Snapshot = ReadonlyMap<string, Kept>;

/** Takes the files of a folder if a path names a folder. */
export async function snapshot(root: string, protectedPaths: readonly string[]): Promise<Snapshot> {
  const kept = new Map<string, Kept>();
  for (const path of [...ALWAYS, ...protectedPaths]) {
    for (const file of await filesAt(root, path)) kept.set(file, await keep(join(root, file)));
  }
  return kept;
}

export async function restoreChanged(root: string, before: Snapshot): Promise<readonly string[]> {
  const changed: string[] = [];
  if (await isReplacedFolder(root)) changed.push(RUN_FOLDER);
  for (const [path, kept] of before) {
    if (!changed.includes(RUN_FOLDER) && isSame(kept, await keep(join(root, path)))) continue;
    changed.push(path);
    await putBack(join(root, path), kept);
  }
  return changed;
}

/** Moves the run folder aside if a file or link replaced it. */
async function isReplacedFolder(root: string): Promise<boolean> {
  const place = join(root, RUN_FOLDER);
  const found = await statOrNull(place);
  if (found === null || found.isDirectory()) return false;
  await rename(place, draftOf(place));
  return true;
}

async function filesAt(root: string, path: string): Promise<readonly string[]> {
  const found = await statOrNull(join(root, path));
  if (found === null || !found.isDirectory()) return [path];
  const names = await readdir(join(root, path));
  return (await Promise.all(names.sort().map((name) => filesAt(root, `${path}/${name}`)))).flat();
}

async function keep(place: string): Promise<Kept> {
  const found = await statOrNull(place);
  if (found === null) return { kind: 'absent' };
  if (found.isSymbolicLink()) return { kind: 'symlink', target: await readlink(place) };
  if (!found.isFile()) return { kind: 'other' };
  const bytes = await readFile(place);
  return { kind: 'file', bytes, sha256: createHash('sha256').update(bytes).digest('hex'), mode: found.mode & 0o777 };
}

function isSame(before: Kept, after: Kept): boolean {
  if (before.kind === 'file' && after.kind === 'file') {
    return before.sha256 === after.sha256 && before.mode === after.mode;
  }
  if (before.kind === 'symlink' && after.kind === 'symlink') return before.target === after.target;
  return before.kind === after.kind;
}

async function putBack(place: string, kept: Kept): Promise<void> {
  await rm(place, { recursive: true, force: true });
  if (kept.kind === 'file') await writeFileAtomic(place, kept.bytes, kept.mode);
  if (kept.kind !== 'symlink') return;
  await mkdir(dirname(place), { recursive: true });
  await symlink(kept.target, place);
}
