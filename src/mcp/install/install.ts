/**
 * Installs the MCP server into another program's configuration, and takes it out again. `prepare…` reads and plans (plan.ts) and
 * writes nothing; the change it returns writes the file (config-file.ts) under a lock, after a backup. Invariants: a file that
 * changed in between is left alone; an undo gives back the bytes of the backup where nobody else has changed the file.
 * config-editor.ts edits the texts, tools.ts lists the programs, request.ts reads the command line.
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
  /** Where what it was is kept; null = nowhere. */
  readonly backup: string | null;
  readonly token_file: string | null;
}

export interface Change {
  readonly outcome: Outcome;
  readonly lines: readonly ChangedLine[];
  /** Does it. Nothing has been written before. */
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

/** Where what it was is to be kept; null = nowhere: what counts is what it was before anything of ours was in it. */
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

/** `secretFile` is where the token of such an entry is kept, if it has one. Nobody else writes there, so it goes, whatever the entry names now. */
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
          // It is what the file is again.
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

/** From the newest of what is kept that it can come from, to the byte; otherwise the entry alone goes. */
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

/** A file that cannot be read or changed is named, with the place. */
function explained<T>({ file, tool }: Pick<Request, 'file' | 'tool'>, plan: () => T): T {
  try {
    return plan();
  } catch (thrown) {
    // Whoever reads it goes into it as deep as it is.
    const isTooDeep = thrown instanceof RangeError;
    if (!isTooDeep && !(thrown instanceof BrokenConfig)) throw thrown;
    const problem = isTooDeep ? new BrokenConfig('it is nested too deeply to be read', null) : thrown;
    const place = problem.line === null ? '' : `:${problem.line}:${problem.column}`;
    const hint = `Mend it first; "parley mcp install ${tool.name} --print" shows what to paste by hand.`;
    throw new CommandError('failed', 'broken_config', `${file}${place}: ${problem.message}; nothing was written`, hint);
  }
}

/** Removes the empty folders that were made for a file, up to the home or the project; keeps those the environment names. */
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

/** A change takes a few milliseconds. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 10;

/** Of several processes that change a file, one does so at a time. */
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
    // Whoever was killed while it held it does not come back. What is empty is about to be written.
    if (holder !== null && holder !== '' && !isHeldBy(Number(holder))) await rm(lock, { force: true });
    if (performance.now() > until) {
      const problem = `${path} is being changed by another process; nothing was written`;
      throw new CommandError('failed', 'config_busy', problem, `Do it again. If there is none, remove ${lock} first.`);
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
