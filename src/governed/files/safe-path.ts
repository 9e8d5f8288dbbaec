/** Resolves paths inside a project without following links. A bad path becomes a `FileFailure`, never a throw. */

import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import { canonicalPath, isReserved } from '../engine/index.ts';
import { isTurnId } from '../engine/lib/patterns.ts';

export async function resolveInside(root: string, path: string): Promise<string> {
  if (canonicalPath(path) !== path) {
    throw new FileRefusal('unsafe_path', `${JSON.stringify(path)}: expected a canonical path inside the project`);
  }
  const link = await findSymlink(root, path);
  if (link !== null) throw new FileRefusal('unsafe_path', `${path}: ${link} is a symbolic link`);
  return join(root, path);
}

export function checkTurnId(turnId: string): void {
  if (isTurnId(turnId)) return;
  throw new FileRefusal('unsafe_path', `${JSON.stringify(turnId)}: expected a turn id that can name a folder`);
}

/** Returns the first part of the path that is a link; null if there is none. */
export async function findSymlink(root: string, path: string): Promise<string | null> {
  const parts = path.split('/');
  for (let n = 1; n <= parts.length; n++) {
    const part = parts.slice(0, n).join('/');
    const found = await statOrNull(join(root, part));
    if (found === null) return null;
    if (found.isSymbolicLink()) return part;
  }
  return null;
}

/** Part of Node's `Stats`; the public declarations must not need Node's types. */
export interface FileStatus {
  readonly size: number;
  readonly mode: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Returns null if the path does not exist or passes through a file. */
export async function statOrNull(path: string): Promise<FileStatus | null> {
  return lstat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw thrown;
  });
}

export interface PathFault {
  readonly path: string;
  readonly code: 'not_in_project' | 'reserved' | 'leads_outside' | 'leads_to_reserved';
}

export async function validatePaths(root: string, paths: readonly string[]): Promise<readonly PathFault[]> {
  const realRoot = await realpath(root);
  const found = await Promise.all(paths.map((path) => codeOf(realRoot, path)));
  return paths.flatMap((path, at) => {
    const code = found[at];
    return code === null || code === undefined ? [] : [{ path, code }];
  });
}

async function codeOf(realRoot: string, path: string): Promise<PathFault['code'] | null> {
  const canonical = canonicalPath(path);
  if (canonical === null) return 'not_in_project';
  if (isReserved(canonical)) return 'reserved';
  const real = relative(realRoot, await resolved(join(realRoot, canonical)));
  const inside = canonicalPath(real.split(sep).join('/'));
  if (real.startsWith('..') || inside === null) return 'leads_outside';
  return isReserved(inside) ? 'leads_to_reserved' : null;
}

/** Returns the real path; for a missing file, resolves its nearest existing folder. */
async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(await resolved(folder), path.slice(folder.length + 1));
  }
}

type FileCode =
  | 'unsafe_path'
  | 'bundle_missing'
  | 'bundle_empty'
  | 'turn_not_active'
  | 'not_a_file'
  | 'too_large'
  | 'hook_blocked'
  | 'io_error';

export interface FileFailure {
  readonly ok: false;
  readonly error: string;
  readonly error_code: FileCode | `hook_${string}`;
}

export class FileRefusal extends Error {
  readonly code: FileCode;

  constructor(code: FileCode, message: string) {
    super(message);
    this.name = 'FileRefusal';
    this.code = code;
  }
}

/** Returns disk errors as failures; callers that drive a run expect no throws. */
export async function toFailure<T>(perform: () => Promise<T>): Promise<T | FileFailure> {
  try {
    return await perform();
  } catch (thrown) {
    const error = asError(thrown);
    return { ok: false, error: error.message, error_code: error instanceof FileRefusal ? error.code : 'io_error' };
  }
}
