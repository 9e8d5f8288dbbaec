/** Reads and atomically replaces a configuration file (UTF-8, byte order mark allowed), with backups next to it. */

import { access, chmod, chown, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '../../cli/terminal/command-error.ts';

const PRIVATE = 0o600;

export interface ConfigFile {
  /** The path after following links, so that writing keeps the link. */
  readonly path: string;
  /** Content without the byte order mark; null if the file does not exist. */
  readonly text: string | null;
  readonly backups: Backups;
  readonly isMarked: boolean;
  readonly owner: { readonly mode: number; readonly uid: number; readonly gid: number } | null;
}

export async function readConfig(given: string): Promise<ConfigFile> {
  const path = await followed(given);
  const found = await stat(path).catch(nullIfMissing);
  if (found !== null && !found.isFile()) throw unusableFileError(given, 'not a file', 'Move it away first.');
  if (found !== null && (found.mode & 0o222) === 0) {
    throw unusableFileError(given, 'read-only', `To allow the change, run: chmod u+w '${given}'`);
  }
  const whole = found === null ? null : await textOf(path);
  return {
    path,
    text: whole === null ? null : stripMark(whole),
    backups: await findBackups(path),
    isMarked: whole?.startsWith(MARK) ?? false,
    owner: found === null ? null : { mode: found.mode & 0o7777, uid: found.uid, gid: found.gid },
  };
}

/** Writes the file; backs it up first if `backup` is not null. */
export async function writeConfig(
  file: ConfigFile,
  after: string,
  { backup, newMode }: { readonly backup: string | null; readonly newMode: number },
): Promise<void> {
  await assertUnchanged(file);
  if (backup !== null) await replace(backup, marked(file, file.text ?? ''), file.owner, PRIVATE);
  await replace(file.path, marked(file, after), file.owner, newMode, () => assertUnchanged(file)).catch(
    async (thrown: unknown) => {
      if (backup !== null) await rm(backup, { force: true });
      throw thrown;
    },
  );
}

export async function deleteConfig(file: ConfigFile): Promise<void> {
  await assertUnchanged(file);
  await rm(file.path);
}

/** Writes a file that is private from its creation. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replace(path, text, null, PRIVATE);
}

/** `check` runs just before the rename and may throw. */
async function replace(
  path: string,
  text: string,
  owner: ConfigFile['owner'],
  newMode: number,
  check: () => Promise<void> = async () => {},
): Promise<void> {
  const draft = `${path}.new-${process.pid}`;
  const handle = await open(draft, 'wx', PRIVATE);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    if (owner !== null && owner.uid !== process.getuid?.()) await chown(draft, owner.uid, owner.gid);
    await chmod(draft, owner?.mode ?? newMode);
    await check();
    await rename(draft, path);
  } catch (thrown) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw thrown;
  }
}

/** Throws if the file changed, for example because the tool wrote it during the confirmation. */
export async function assertUnchanged({ path, text, isMarked }: ConfigFile): Promise<void> {
  const now = await textOf(path).catch(nullIfMissing);
  if (now === (text === null ? null : (isMarked ? MARK : '') + text)) return;
  throw new CommandError('failed', 'config_changed', `${path} changed meanwhile; nothing was written`, 'Try again.');
}

async function followed(given: string): Promise<string> {
  const link = await lstat(given).catch(nullIfMissing);
  if (link?.isSymbolicLink() !== true) return given;
  const target = await realpath(given).catch(nullIfMissing);
  if (target === null) throw unusableFileError(given, 'a broken link', 'Fix or remove the link first.');
  return target;
}

function marked({ isMarked }: ConfigFile, text: string): string {
  return isMarked ? MARK + text : text;
}

const BACKUP = '.before-parley';

interface Backup {
  readonly path: string;
  /** Content without a byte order mark; null if this is not a text file. */
  readonly text: string | null;
}

interface Backups {
  readonly all: readonly Backup[];
  readonly freePath: string;
}

/** Numbers the backups, so that a new one overwrites no existing file. */
async function findBackups(path: string): Promise<Backups> {
  const all: Backup[] = [];
  for (let number = 1; ; number++) {
    const at = `${path}${BACKUP}${number === 1 ? '' : `-${number}`}`;
    const found = await lstat(at).catch(nullIfMissing);
    if (found === null) return { all, freePath: at };
    // Links, folders and unreadable files are not our backups.
    const text = found.isFile() ? await textOf(at).catch(() => null) : null;
    all.push({ path: at, text: text === null ? null : stripMark(text) });
  }
}

const MARK = '\ufeff';

/** Reads the file with its byte order mark. */
async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusableFileError(path, 'not UTF-8', 'Save it as UTF-8 first.');
  }
}

function stripMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

export function nullIfMissing(thrown: unknown): null {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
  throw thrown;
}

function unusableFileError(path: string, problem: string, hint: string): CommandError {
  return new CommandError('failed', 'unusable_config', `${path}: ${problem}; nothing was written`, hint);
}

export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
