/** A configuration file on the disk: read whole, replaced whole, and what it was before kept beside it. */

import { chmod, chown, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Trouble } from '../../cli/terminal/command-error.ts';
import { type Backups, backupsOf } from '../../node/mcp-install/backups.ts';
import { MARK, onlyMissing, textOf, unmarked, unusable } from '../../node/mcp-install/config-text.ts';

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
  const found = await stat(path).catch(onlyMissing);
  if (found !== null && !found.isFile()) throw unusable(given, 'it is not a file', 'Move it away first.');
  if (found !== null && (found.mode & 0o222) === 0) {
    throw unusable(given, 'it is read-only', `If you mean it: chmod u+w '${given}', and again.`);
  }
  const whole = found === null ? null : await textOf(path);
  return {
    path,
    text: whole === null ? null : unmarked(whole),
    backups: await backupsOf(path),
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
  const now = await textOf(path).catch(onlyMissing);
  if (now === (text === null ? null : (isMarked ? MARK : '') + text)) return;
  throw new Trouble('failed', 'config_changed', `${path} has changed meanwhile; nothing was written`, 'Do it again.');
}

async function followed(given: string): Promise<string> {
  const link = await lstat(given).catch(onlyMissing);
  if (link?.isSymbolicLink() !== true) return given;
  const target = await realpath(given).catch(onlyMissing);
  if (target === null) throw unusable(given, 'it is a link that leads nowhere', 'Mend or remove the link first.');
  return target;
}

function marked({ isMarked }: ConfigFile, text: string): string {
  return isMarked ? MARK + text : text;
}
