/** How a prompt gets to a program: on stdin, in a file only we can read, or as an argument if it is small. */

import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '../../participants/clis/records/cli-record.ts';
import { makePromptFolder, sweepPromptFolders } from '../../participants/clis/deliver-prompt.ts';

export interface HandedOver {
  readonly stdin?: string;
  readonly promptFile?: string;
  readonly prompt?: string;
  /** Takes the file away. */
  close(): Promise<void>;
}

/** One argument of 128 KiB cannot be passed on Linux; this leaves room for what others put around it. */
export const mostArgumentBytes = 100_000;

let swept: Promise<void> | null = null;

export async function handOver(transport: Transport, prompt: string): Promise<HandedOver> {
  // Once for our whole process: what others have left behind before it.
  swept ??= sweepPromptFolders(tmpdir());
  await swept;
  if (transport === 'file') return inFile(prompt);
  // A NUL cannot be part of an argument either.
  const fits = Buffer.byteLength(prompt) <= mostArgumentBytes && !prompt.includes('\0');
  return transport === 'arg' && fits ? { prompt, close } : { stdin: prompt, close };
}

async function inFile(prompt: string): Promise<HandedOver> {
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
