/** Delivers a prompt to a program: on stdin, in a private file, or as a small argument. Removes files of killed processes. */

import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcess } from '../processes/tree/process-table.ts';
import type { Transport } from './records/cli-record.ts';

export interface DeliveredPrompt {
  readonly stdin?: string;
  readonly promptFile?: string;
  readonly prompt?: string;
  /** Removes the prompt file, if one was written. */
  close(): Promise<void>;
}

/** Linux limits one argument to 128 KiB; this leaves room for wrappers. */
const maxArgumentBytes = 100_000;

let swept: Promise<void> | null = null;

export async function deliverPrompt(transport: Transport, prompt: string): Promise<DeliveredPrompt> {
  // Once per process: remove prompt folders that earlier processes left behind.
  swept ??= sweepPromptFolders(tmpdir());
  await swept;
  if (transport === 'file') return inFile(prompt);
  // Arguments cannot contain NUL.
  const fits = Buffer.byteLength(prompt) <= maxArgumentBytes && !prompt.includes('\0');
  return transport === 'arg' && fits ? { prompt, close } : { stdin: prompt, close };
}

async function inFile(prompt: string): Promise<DeliveredPrompt> {
  const folder = await makePromptFolder(tmpdir());
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const promptFile = join(folder, 'prompt.md');
  try {
    await writeFile(promptFile, prompt, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    await remove();
    throw error;
  }
  return { promptFile, close: remove };
}

async function close(): Promise<void> {}

const NAME = /^parley-prompt-([0-9a-f]{8})-(\d+)-(\d+)-/;

/** Readable only by this user (0700). */
export function makePromptFolder(root: string, pid: number = process.pid): Promise<string> {
  return mkdtemp(join(root, `parley-prompt-${placeOf()}-${pid}-${startedAt(pid)}-`));
}

/** Removes folders of this machine's dead processes; ignores folders that it cannot inspect. */
export async function sweepPromptFolders(root: string): Promise<void> {
  const place = placeOf();
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const [, where, pid, started] = NAME.exec(name) ?? [];
    if (where !== place || isAlive(Number(pid), Number(started))) continue;
    await remove(join(root, name)).catch(() => {});
  }
}

/** Removes only a real folder of this user. */
async function remove(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await rm(path, { recursive: true });
}

/** Identifies the machine or container, since process ids are only unique within one. */
function placeOf(): string {
  let numbers = '';
  try {
    numbers = readlinkSync('/proc/self/ns/pid');
  } catch {
    // No /proc here: use the host name alone.
  }
  return createHash('sha256').update(`${hostname()} ${numbers}`).digest('hex').slice(0, 8);
}

/** Start time of a process, which tells a reused process id apart; 0 if unknown. */
function startedAt(pid: number): number {
  return readProcess(pid)?.startedAt ?? 0;
}

function isAlive(pid: number, started: number): boolean {
  if (started !== 0) return startedAt(pid) === started;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // The process is alive, but this user may not signal it.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
