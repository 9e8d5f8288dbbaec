/**
 * Installs the MCP server into another program's configuration, or removes it. `prepare…` only reads and plans (plan.ts);
 * the returned change writes the file (config-file.ts) under a lock, after a backup. Invariants: a file that changed since
 * the plan is not written; an undo restores the bytes of the backup unless the file was edited since the install.
 * config-editor.ts edits the text, tools.ts lists the programs, request.ts reads the command line.
 */

import { mkdir, open, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../../cli/terminal/command-error.ts';
import { isAlive } from '../../system/process.ts';
import { BrokenConfig } from './config-editor.ts';
import {
  assertUnchanged,
  type ConfigFile,
  deleteConfig,
  isThere,
  nullIfMissing,
  readConfig,
  writeConfig,
  writePrivate,
} from './config-file.ts';
import { hasOtherOwn, isMadeFor, isOnlyOwn, type Plan, planInstall, planUndo } from './plan.ts';
import { type ChangedLine, changedLines } from './preview.ts';
import type { Request } from './request.ts';
import type { InstallPaths } from './tools.ts';

export interface Outcome {
  readonly tool: string;
  readonly scope: string;
  readonly entry: string;
  readonly file: string;
  readonly action: 'added' | 'changed' | 'removed' | 'restored' | 'deleted' | 'unchanged';
  /** Path of the backup; null if none is made. */
  readonly backup: string | null;
  readonly token_file: string | null;
}

export interface Change {
  readonly outcome: Outcome;
  readonly lines: readonly ChangedLine[];
  /** Writes the change; until this call, nothing is written. */
  carryOut(): Promise<void>;
}

export async function prepareInstall(request: Request): Promise<Change> {
  const { tool, key, words, secret } = request;
  const file = await readConfig(request.file);
  const plan = explained(request, () => planInstall(tool, key, words, file.text));
  const backup = explained(request, () => backupFor(request, file, plan));
  return {
    ...described(request, file, plan, { tokenFile: secret?.file ?? null, backup }),
    carryOut: () =>
      withFileLock(file.path, async () => {
        await assertUnchanged(file);
        const isNew = secret !== null && !(await isThere(secret.file));
        if (secret !== null) await writePrivate(secret.file, `${secret.token}\n`);
        if (plan.kind !== 'write') return;
        const newMode = request.scope === 'user' ? 0o600 : 0o644;
        await writeConfig(file, plan.after, { backup, newMode }).catch(async (thrown: unknown) => {
          if (isNew) await rm(secret.file, { force: true });
          throw thrown;
        });
      }),
  };
}

/** Path for a backup; null if none is needed. Backups keep the file as it was before our first entry. */
function backupFor(
  { tool, key }: Pick<Request, 'tool' | 'key'>,
  { text, backups }: ConfigFile,
  plan: Plan,
): string | null {
  if (plan.kind !== 'write' || text === null) return null;
  const isOlderKept = backups.all.length > 0;
  if (plan.act === 'changed' && (isOlderKept || isMadeFor(tool, key, { text, backup: null }))) return null;
  if (isOlderKept ? hasOtherOwn(tool, key, text) : isOnlyOwn(tool, text)) return null;
  return backups.all.some((one) => one.text === text) ? null : backups.freePath;
}

/** `secretFile`: token file of the entry; only this installer writes it, so an undo always deletes it. */
export async function prepareUndo(
  request: Omit<Request, 'words' | 'secret' | 'isUnproven'>,
  secretFile: string,
  places: InstallPaths,
): Promise<Change> {
  const file = await readConfig(request.file);
  const { plan, from } = explained(request, () => undoFrom(request, file));
  const isSecretThere = await isThere(secretFile);
  const isKept = plan.kind === 'write' && plan.act === 'removed' && file.backups.all.length === 0;
  const backup = isKept && !isOnlyOwn(request.tool, file.text ?? '') ? file.backups.freePath : null;
  return {
    ...described(request, file, plan, { tokenFile: isSecretThere ? secretFile : null, backup }),
    async carryOut() {
      if (plan.kind !== 'nothing') {
        await withFileLock(file.path, async () => {
          if (plan.kind === 'write') await writeConfig(file, plan.after, { backup, newMode: 0o600 });
          else await deleteConfig(file);
          // The file equals this backup again: remove the backup.
          if (from !== null) await rm(from, { force: true });
        });
      }
      if (plan.kind === 'delete') await removeEmptyFolders(file.path, places);
      if (isSecretThere) {
        await rm(secretFile, { force: true });
        await removeEmptyFolders(secretFile, places);
      }
    },
  };
}

/** Restores the newest matching backup byte for byte; otherwise removes only the entry. */
function undoFrom({ tool, key }: Pick<Request, 'tool' | 'key'>, { text, backups }: ConfigFile) {
  const newestFirst = backups.all.toReversed();
  for (const { path, text: backup } of newestFirst) {
    if (backup === null) continue;
    const plan = planUndo(tool, key, { text, backup });
    if (plan.kind === 'write' && plan.act === 'restored') return { plan, from: path };
  }
  const backup = newestFirst.find((one) => one.text !== null)?.text ?? null;
  return { plan: planUndo(tool, key, { text, backup }), from: null };
}

function described(
  { tool, scope, key, file: shown }: Pick<Request, 'tool' | 'scope' | 'key' | 'file'>,
  file: ConfigFile,
  plan: Plan,
  { tokenFile, backup }: { readonly tokenFile: string | null; readonly backup: string | null },
): Pick<Change, 'outcome' | 'lines'> {
  const action = plan.kind === 'nothing' ? 'unchanged' : plan.kind === 'delete' ? 'deleted' : plan.act;
  const after = plan.kind === 'write' ? plan.after : plan.kind === 'delete' ? '' : (file.text ?? '');
  return {
    outcome: { tool: tool.name, scope, entry: key, file: shown, action, backup, token_file: tokenFile },
    lines: plan.kind === 'nothing' ? [] : changedLines(file.text ?? '', after),
  };
}

/** Converts parse errors to a CommandError with the file and the position. */
function explained<T>({ file, tool }: Pick<Request, 'file' | 'tool'>, plan: () => T): T {
  try {
    return plan();
  } catch (thrown) {
    // The parser is recursive: deep nesting overflows the stack.
    const isTooDeep = thrown instanceof RangeError;
    if (!isTooDeep && !(thrown instanceof BrokenConfig)) throw thrown;
    const problem = isTooDeep ? new BrokenConfig('nested too deeply to be read', null) : thrown;
    const place = problem.line === null ? '' : `:${problem.line}:${problem.column}`;
    const hint = `Fix it first; "parley mcp install ${tool.name} --print" shows what to paste by hand.`;
    throw new CommandError('failed', 'broken_config', `${file}${place}: ${problem.message}; nothing was written`, hint);
  }
}

/** Removes empty parent folders below the home or the project; keeps folders that the environment names. */
async function removeEmptyFolders(file: string, { home, project, env }: InstallPaths): Promise<void> {
  const named = new Set(Object.values(env).map((value) => (value ? resolve(value) : '')));
  const isOurs = (folder: string): boolean =>
    !named.has(folder) &&
    folder !== resolve(project) &&
    (isBelow(folder, resolve(home)) || isBelow(folder, resolve(project)));
  for (let folder = dirname(resolve(file)); isOurs(folder); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function isBelow(folder: string, top: string): boolean {
  const way = relative(top, folder);
  return way !== '' && !way.startsWith('..') && way !== folder;
}

/** Maximum wait for the lock; a change takes a few milliseconds. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 10;

/** Holds a lock file during the change, so that only one process at a time changes the file. */
async function withFileLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  const lock = `${path}.parley-lock`;
  await mkdir(dirname(path), { recursive: true });
  await take(lock, path);
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string, path: string): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; ; ) {
    if (await isTaken(lock)) return;
    const holder = await readFile(lock, 'utf8').catch(nullIfMissing);
    // Remove the lock of a dead process. If the lock is empty, its owner is still writing it.
    if (holder !== null && holder !== '' && !isHeldBy(Number(holder))) await rm(lock, { force: true });
    if (performance.now() > until) {
      const problem = `${path} is being changed by another process; nothing was written`;
      throw new CommandError(
        'failed',
        'config_busy',
        problem,
        `Try again. If no such process exists, remove ${lock} first.`,
      );
    }
    await sleep(LOOK_MS);
  }
}

async function isTaken(lock: string): Promise<boolean> {
  const handle = await open(lock, 'wx', 0o600).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return null;
    throw thrown;
  });
  if (handle === null) return false;
  await handle.writeFile(String(process.pid)).finally(() => handle.close());
  return true;
}

function isHeldBy(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && isAlive(pid);
}
