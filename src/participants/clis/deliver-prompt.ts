/**
 * Delivers a prompt to a program: on stdin, in a private file, or as an argument if it is small. Removes files of killed
 * processes.
 */

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
  /** Takes the file away. */
  close(): Promise<void>;
}

/** One argument of 128 KiB cannot be passed on Linux; this leaves room for what others put around it. */
export const maxArgumentBytes = 100_000;

let swept: Promise<void> | null = null;

export async function deliverPrompt(transport: Transport, prompt: string): Promise<DeliveredPrompt> {
  // Once for our whole process: what others have left behind before it.
  swept ??= sweepPromptFolders(tmpdir());
  await swept;
  if (transport === 'file') return inFile(prompt);
  // A NUL cannot be part of an argument either.
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

/** For us alone (0700). */
export function makePromptFolder(root: string, pid: number = process.pid): Promise<string> {
  return mkdtemp(join(root, `parley-prompt-${placeOf()}-${pid}-${startedAt(pid)}-`));
}

/** Takes away what processes of this machine have left that live no more. What cannot be looked at stays where it is. */
export async function sweepPromptFolders(root: string): Promise<void> {
  const place = placeOf();
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const [, where, pid, started] = NAME.exec(name) ?? [];
    if (where !== place || isAlive(Number(pid), Number(started))) continue;
    await remove(join(root, name)).catch(() => {});
  }
}

/** Not what somebody else has put there under such a name. */
async function remove(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await rm(path, { recursive: true });
}

/** Process numbers say nothing on another machine, or in another container that shares the folder. */
function placeOf(): string {
  let numbers = '';
  try {
    numbers = readlinkSync('/proc/self/ns/pid');
  } catch {
    // There is no such thing here: the machine is all there is.
  }
  return createHash('sha256').update(`${hostname()} ${numbers}`).digest('hex').slice(0, 8);
}

/** Numbers are used again: with its start a process is named for good, where that is told. */
function startedAt(pid: number): number {
  return readProcess(pid)?.startedAt ?? 0;
}

function isAlive(pid: number, started: number): boolean {
  if (started !== 0) return startedAt(pid) === started;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // One that may not be signalled lives.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
