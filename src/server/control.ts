/**
 * How a command on this machine asks the hub that has a data folder open: by a socket in that folder, which only the folder's
 * owner can reach. It may ask for what its owner could do by stopping the hub, and gives nobody anything over a network.
 */

import { chmod, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { asError, HubError } from '../core/lib/errors.ts';
import type { Logger } from '../core/ports/platform.ts';
import type { ArchiveResult } from '../store/maintenance/archive.ts';
import type { BackupResult } from '../store/maintenance/backup.ts';
import type { MaintenanceOptions } from '../store/maintenance/maintenance-types.ts';
import type { StoreVerification } from '../store/maintenance/verify.ts';

/** What can be asked, and what is answered. */
export interface ControlTypes {
  backup: { asked: { readonly target: string }; answer: BackupResult };
  archive: { asked: { readonly endedBefore: string }; answer: ArchiveResult };
  verify: { asked: Readonly<Record<never, never>>; answer: StoreVerification };
}

export type ControlName = keyof ControlTypes;

/** Who does it. */
export type ControlHandlers = {
  readonly [Name in ControlName]: (
    asked: ControlTypes[Name]['asked'],
    options: MaintenanceOptions,
  ) => Promise<ControlTypes[Name]['answer']>;
};

/** One line each; `done` and `failed` are the last. */
type ControlLine =
  | { readonly progress: { readonly bytes: number; readonly of: number } }
  | { readonly done: unknown }
  | { readonly failed: { readonly code: string; readonly message: string } };

/** Systems take little more for the name of a socket. */
const LONGEST_NAME = 100;

/** null = it would be too long. */
function socketOf(data: string): string | null {
  const path = join(resolve(data), 'control');
  if (process.platform === 'win32') return `\\\\.\\pipe\\parley-${Buffer.from(path).toString('base64url').slice(-80)}`;
  return Buffer.byteLength(path) > LONGEST_NAME ? null : path;
}

/** Opened by who has the folder open, so whatever socket is there was left behind. The result closes it. */
export async function openControl(
  data: string,
  controlled: ControlHandlers,
  log: Logger,
): Promise<() => Promise<void>> {
  const path = socketOf(data);
  if (path === null) return async () => {};
  await rm(path, { force: true });
  // Whoever only holds on to it keeps no process from ending.
  const server = createServer((socket) => void serveOne(socket.unref(), controlled, log));
  try {
    await listening(server, path);
    if (process.platform !== 'win32') await chmod(path, 0o600);
  } catch (thrown) {
    // The hub does without: only commands that ask it are refused.
    log.warn('commands beside this hub cannot ask it', { path, error: asError(thrown).message });
  }
  return async () => void server.close();
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((opened, failed) => {
    server.once('error', failed);
    server.listen(path, opened);
  });
}

async function serveOne(socket: Socket, controlled: ControlHandlers, log: Logger): Promise<void> {
  socket.on('error', () => socket.destroy());
  const send = (line: ControlLine): void => void socket.write(`${JSON.stringify(line)}\n`);
  for await (const text of createInterface({ input: socket })) {
    try {
      // Written by askControl, of this program or another version of it.
      const { ask, ...asked }: { readonly ask: ControlName } = JSON.parse(text);
      if (!Object.hasOwn(controlled, ask)) throw new HubError('bad_options', `this hub cannot be asked for "${ask}"`);
      log.info(`asked for: ${ask}`, asked);
      // What each one takes came with its name.
      const perform = controlled[ask] as (asked: object, options: MaintenanceOptions) => Promise<unknown>;
      send({ done: await perform(asked, { onProgress: (progress) => send({ progress }) }) });
    } catch (thrown) {
      send({ failed: { code: thrown instanceof HubError ? thrown.code : 'failed', message: asError(thrown).message } });
    }
    socket.end();
    return;
  }
}

/** undefined = nobody can be asked there: the folder is open in a process that is no hub of its own, or in an older one. */
export async function askControl<Name extends ControlName>(
  data: string,
  ask: Name,
  asked: ControlTypes[Name]['asked'],
  { onProgress }: MaintenanceOptions = {},
): Promise<ControlTypes[Name]['answer'] | undefined> {
  const path = socketOf(data);
  const socket = path === null ? null : await connected(path);
  if (socket === null) return undefined;
  socket.write(`${JSON.stringify({ ask, ...asked })}\n`);
  try {
    for await (const text of createInterface({ input: socket })) {
      const line = JSON.parse(text) as ControlLine;
      if ('progress' in line) onProgress?.(line.progress);
      else if ('failed' in line) throw new HubError(line.failed.code, line.failed.message);
      // As the hub of this or another version answers it.
      else return line.done as ControlTypes[Name]['answer'];
    }
  } finally {
    socket.destroy();
  }
  throw new HubError('client_closed', `the hub of ${data} ended before it answered`);
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((settle) => {
    const socket = createConnection(path, () => settle(socket));
    // Later too: what is read from it ends then.
    socket.on('error', () => settle(null));
  });
}
