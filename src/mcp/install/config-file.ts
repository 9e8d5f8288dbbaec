/** A configuration file on the disk (UTF-8, perhaps with a byte order mark): read whole, replaced whole, its backups kept beside it. */

import { access, chmod, chown, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '../../cli/terminal/command-error.ts';

const PRIVATE = 0o600;

export interface ConfigFile {
  /** Where it really is: what a link leads to stays a link. */
  readonly path: string;
  /** Without the mark; null = there is none. */
  readonly text: string | null;
  readonly backups: Backups;
  /** It begins with a byte order mark. */
  readonly isMarked: boolean;
  readonly owner: { readonly mode: number; readonly uid: number; readonly gid: number } | null;
}

export async function readConfig(given: string): Promise<ConfigFile> {
  const path = await followed(given);
  const found = await stat(path).catch(nullIfMissing);
  if (found !== null && !found.isFile()) throw unusableFileError(given, 'it is not a file', 'Move it away first.');
  if (found !== null && (found.mode & 0o222) === 0) {
    throw unusableFileError(given, 'it is read-only', `If you mean it: chmod u+w '${given}', and again.`);
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

/** Writes it, after what it was is safe beside it, if it is to be: null = it is not. */
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

/** Removes a file that was made for an entry. */
export async function deleteConfig(file: ConfigFile): Promise<void> {
  await assertUnchanged(file);
  await rm(file.path);
}

/** A file of one's own: nobody else can read it, not for a moment. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replace(path, text, null, PRIVATE);
}

/** `check` may still refuse it when all is ready. */
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

/** The tool may have written it while somebody was asked. */
export async function assertUnchanged({ path, text, isMarked }: ConfigFile): Promise<void> {
  const now = await textOf(path).catch(nullIfMissing);
  if (now === (text === null ? null : (isMarked ? MARK : '') + text)) return;
  throw new CommandError(
    'failed',
    'config_changed',
    `${path} has changed meanwhile; nothing was written`,
    'Do it again.',
  );
}

async function followed(given: string): Promise<string> {
  const link = await lstat(given).catch(nullIfMissing);
  if (link?.isSymbolicLink() !== true) return given;
  const target = await realpath(given).catch(nullIfMissing);
  if (target === null)
    throw unusableFileError(given, 'it is a link that leads nowhere', 'Mend or remove the link first.');
  return target;
}

function marked({ isMarked }: ConfigFile, text: string): string {
  return isMarked ? MARK + text : text;
}

const BACKUP = '.before-parley';

export interface Backup {
  readonly path: string;
  /** Without a byte order mark; null = it is something else. */
  readonly text: string | null;
}

export interface Backups {
  /** The oldest first. */
  readonly all: readonly Backup[];
  /** Where the next one goes. */
  readonly freePath: string;
}

/** Backups have names of their own: nothing that exists is ever overwritten. */
async function findBackups(path: string): Promise<Backups> {
  const all: Backup[] = [];
  for (let number = 1; ; number++) {
    const at = `${path}${BACKUP}${number === 1 ? '' : `-${number}`}`;
    const found = await lstat(at).catch(nullIfMissing);
    if (found === null) return { all, freePath: at };
    // What cannot be read as text, or is a link or a folder, is somebody else's.
    const text = found.isFile() ? await textOf(at).catch(() => null) : null;
    all.push({ path: at, text: text === null ? null : stripMark(text) });
  }
}

export const MARK = '\ufeff';

/** The mark is still there. */
export async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusableFileError(path, 'it is not UTF-8', 'Save it as UTF-8 first.');
  }
}

export function stripMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

export function nullIfMissing(thrown: unknown): null {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
  throw thrown;
}

export function unusableFileError(path: string, problem: string, hint: string): CommandError {
  return new CommandError('failed', 'unusable_config', `${path}: ${problem}; nothing was written`, hint);
}

export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
