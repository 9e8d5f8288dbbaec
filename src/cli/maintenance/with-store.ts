/** Opens a data folder for a maintenance command, or asks the hub that has it open. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import type { ControlName, ControlTypes } from '../../server/control.ts';
import type { DurableStore } from '../../store/durable-store.ts';
import { dataFolder } from '../connecting/hub-target.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { CommandError, notFoundError } from '../terminal/command-error.ts';
import type { Io } from '../terminal/io.ts';

export async function withStore<T>(
  args: CommandArgs,
  io: Io,
  work: (store: DurableStore, folder: string) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(args, io);
  // Opening a missing folder would create it.
  if (!existsSync(join(folder, 'parley.json'))) {
    const hint = 'Pass a data folder with "--data <folder>", or PARLEY_DATA.';
    throw notFoundError('no_data_folder', `${folder} is not a data folder: there is no parley.json in it`, hint);
  }
  const { openStore } = await import('../../store/open-store.ts');
  const { store, recovery } = await openStore(folder, { onProgress: io.progress('reading the journal') }).catch(inUse);
  try {
    if (recovery.rebuilt && !recovery.renewed) io.note('the index was unusable and has been rebuilt');
    if (recovery.torn !== null) io.note('an unconfirmed last write was removed');
    return await work(store, folder);
  } finally {
    await store.close();
  }
}

/** Works on the store if no hub has it open; else asks the hub that has. */
export async function viaHubOrStore<Name extends ControlName>(
  args: CommandArgs,
  io: Io,
  ask: Name,
  request: ControlTypes[Name]['request'],
  what: string,
  offline: (store: DurableStore, folder: string) => Promise<ControlTypes[Name]['answer']>,
): Promise<{ readonly folder: string; readonly answer: ControlTypes[Name]['answer'] }> {
  const folder = dataFolder(args, io);
  try {
    return { folder, answer: await withStore(args, io, offline) };
  } catch (thrown) {
    if (!(thrown instanceof CommandError) || thrown.code !== 'data_in_use') throw thrown;
    const { askControl } = await import('../../server/control.ts');
    const answer = await askControl(folder, ask, request, { onProgress: io.progress(what) }).catch(asItsOwnUser);
    if (answer === undefined) throw cannotAsk(thrown, ask);
    return { folder, answer };
  }
}

/** Error if no hub answers: another program has the folder open, or its path is too long for a socket. */
function cannotAsk({ message, hint }: CommandError, ask: ControlName): CommandError {
  const own = `If it is your own program, call hub.${ask}() there, which works while it runs.`;
  return new CommandError('inUse', 'data_in_use', message, `${hint} ${own}`);
}

/** Explains a system error of the hub, which runs as its own user. */
function asItsOwnUser(thrown: unknown): never {
  if (!(thrown instanceof HubError) || thrown.code !== 'failed') throw thrown;
  const hint = thrown.message.includes('ENOSPC')
    ? 'Make room on the disk.'
    : 'The hub does it as its own user, on its own machine: give a folder that it may write.';
  throw new CommandError('failed', 'failed', `the hub could not: ${thrown.message}`, hint);
}

function inUse(thrown: unknown): never {
  if (!(thrown instanceof HubError) || thrown.code !== 'data_in_use') throw thrown;
  const hint = 'Stop that hub first (Ctrl-C, or "systemctl stop parley"), then try again.';
  const message = `${thrown.message.split(';')[0]}: it is open in a running hub or another command`;
  throw new CommandError('inUse', 'data_in_use', message, hint);
}

/** "12.3 MB". */
export function formatBytes(bytes: number): string {
  const units = [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const;
  const [unit, size] = units.find(([, one]) => bytes >= one) ?? ['bytes', 1];
  return `${size === 1 ? bytes : (bytes / size).toFixed(1)} ${unit}`;
}
