/** Detects changes in a project's work tree with git, independent of what agents claim. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import { isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import { nowOf, type OpenRun } from '../log/runner-context.ts';

const run = promisify(execFile);

const GIT_TIMEOUT_MS = 20_000;
const GIT_BYTES = 16 * 1024 * 1024;
/** Maximum number of changed files; with more, changes cannot be attributed. */
const MAX_DIRTY = 2000;

/** The commit of a project, and the digests of files that differ from it (null = deleted). */
export interface Tree {
  readonly head: string | null;
  readonly dirty: Readonly<Record<string, string | null>>;
}

/** Returns null if the folder is not a work tree, git is missing, or too many files differ. */
export async function treeOf(root: string, since?: string | null): Promise<Tree | null> {
  if ((await git(root, ['rev-parse', '--is-inside-work-tree']))?.trim() !== 'true') return null;
  const head = (await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() || null;
  const base = since === undefined ? head : since;
  const tracked =
    base === null
      ? await names(root, ['ls-files', '-z'])
      : await names(root, ['diff', '--name-only', '--relative', '--no-renames', '--no-ext-diff', '-z', base]);
  const others = await names(root, ['ls-files', '--others', '--exclude-standard', '-z']);
  if (tracked === null || others === null) return null;
  const paths = [...new Set([...tracked, ...others])].filter((path) => !path.startsWith(`${RUN_FOLDER}/`)).sort();
  if (paths.length > MAX_DIRTY) return null;
  const dirty = await Promise.all(paths.map(async (path) => [path, await digestAt(join(root, path))] as const));
  return { head, dirty: Object.fromEntries(dirty) };
}

/** Creates the baseline recorded with a turn at dispatch, to detect later changes. */
export function baselineOf(tree: Tree, now: string): UnknownRecord {
  const clean = Object.keys(tree.dirty).length === 0;
  return { kind: 'git', head_ref: tree.head, clean, captured_at: now, dirty_snapshot: tree.dirty };
}

/** Returns the baseline of a turn dispatched now; null if there is no readable work tree. */
export async function baselineNow(run: OpenRun): Promise<UnknownRecord | null> {
  const tree = await treeOf(run.root);
  return tree === null ? null : baselineOf(tree, nowOf(run));
}

/** Returns null if the turn has no git baseline. With one, git must work: an unreadable tree is not unchanged. */
export async function changedSince(root: string, baseline: UnknownRecord | null): Promise<readonly string[] | null> {
  if (baseline === null || baseline.kind !== 'git') return null;
  const ref = typeof baseline.head_ref === 'string' ? baseline.head_ref : null;
  const before = isRecord(baseline.dirty_snapshot) ? baseline.dirty_snapshot : {};
  const tree = await treeOf(root, ref);
  if (tree === null) {
    const error = `git could read the project at dispatch and cannot now: git fails, or more than ${MAX_DIRTY} files differ`;
    throw new RunnerRefusal('tree_unreadable', error);
  }
  const paths = new Set([...Object.keys(before), ...Object.keys(tree.dirty)]);
  return [...paths].filter((path) => !isAsBefore(path, before, tree.dirty)).sort();
}

function isAsBefore(path: string, before: UnknownRecord, now: Tree['dirty']): boolean {
  if (!Object.hasOwn(before, path) || !Object.hasOwn(now, path)) return false;
  return before[path] === now[path];
}

async function names(root: string, args: readonly string[]): Promise<readonly string[] | null> {
  const text = await git(root, args);
  return text === null ? null : text.split('\0').filter((name) => name !== '');
}

/** Runs git without inherited GIT_ variables and without optional locks. */
async function git(root: string, args: readonly string[]): Promise<string | null> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(own), GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  try {
    const options = { cwd: root, env, timeout: GIT_TIMEOUT_MS, maxBuffer: GIT_BYTES };
    return (await run('git', ['-c', 'core.quotePath=false', '-c', 'core.fsmonitor=false', ...args], options)).stdout;
  } catch {
    return null;
  }
}

async function digestAt(place: string): Promise<string | null> {
  try {
    return createHash('sha256')
      .update(await readFile(place))
      .digest('hex');
  } catch {
    return null;
  }
}
