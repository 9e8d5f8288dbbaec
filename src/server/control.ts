/**
 * Serves the control socket of a data folder, through which local commands ask the hub that has it open. Only the
 * folder's owner can connect, and it offers only what the owner could do by stopping the hub.
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

/** Requests and their answers. */
export interface ControlTypes {
  backup: { request: { readonly target: string }; answer: BackupResult };
  archive: { request: { readonly endedBefore: string }; answer: ArchiveResult };
  verify: { request: Readonly<Record<never, never>>; answer: StoreVerification };
}

export type ControlName = keyof ControlTypes;

export type ControlHandlers = {
  readonly [Name in ControlName]: (
    request: ControlTypes[Name]['request'],
    options: MaintenanceOptions,
  ) => Promise<ControlTypes[Name]['answer']>;
};

/** A line of an answer, as JSON; `done` or `failed` is the last. */
type ControlLine =
  | { readonly progress: { readonly bytes: number; readonly of: number } }
  | { readonly done: unknown }
  | { readonly failed: { readonly code: string; readonly message: string } };

/** Operating systems limit the length of a socket path. */
const MAX_PATH_BYTES = 100;

/** The path of the socket; null if it is too long. */
function socketOf(data: string): string | null {
  const path = join(resolve(data), 'control');
  if (process.platform === 'win32') return `\\\\.\\pipe\\parley-${Buffer.from(path).toString('base64url').slice(-80)}`;
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? null : path;
}

/** The caller has the folder open, so any existing socket is stale. Returns a function that closes the new one. */
export async function openControl(data: string, handlers: ControlHandlers, log: Logger): Promise<() => Promise<void>> {
  const path = socketOf(data);
  if (path === null) return async () => {};
  await rm(path, { force: true });
  // unref: an idle client must not keep the process alive.
  const server = createServer((socket) => void serveOne(socket.unref(), handlers, log));
  try {
    await listening(server, path);
    if (process.platform !== 'win32') await chmod(path, 0o600);
  } catch (thrown) {
    // The hub works without the socket; only commands that use it fail.
    log.warn('control socket unavailable', { path, error: asError(thrown).message });
  }
  return async () => void server.close();
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((opened, failed) => {
    server.once('error', failed);
    server.listen(path, opened);
  });
}

async function serveOne(socket: Socket, handlers: ControlHandlers, log: Logger): Promise<void> {
  socket.on('error', () => socket.destroy());
  const send = (line: ControlLine): void => void socket.write(`${JSON.stringify(line)}\n`);
  for await (const text of createInterface({ input: socket })) {
    try {
      // askControl wrote this, perhaps in a different version.
      const { ask, ...request }: { readonly ask: ControlName } = JSON.parse(text);
      if (!Object.hasOwn(handlers, ask)) throw new HubError('bad_options', `this hub does not support "${ask}"`);
      log.info(`asked for: ${ask}`, request);
      const perform = handlers[ask] as (request: object, options: MaintenanceOptions) => Promise<unknown>;
      send({ done: await perform(request, { onProgress: (progress) => send({ progress }) }) });
    } catch (thrown) {
      send({ failed: { code: thrown instanceof HubError ? thrown.code : 'failed', message: asError(thrown).message } });
    }
    socket.end();
    return;
  }
}

/** Asks the hub. undefined if none answers: a process that is not a hub, or an older version, has the folder open. */
export async function askControl<Name extends ControlName>(
  data: string,
  ask: Name,
  request: ControlTypes[Name]['request'],
  { onProgress }: MaintenanceOptions = {},
): Promise<ControlTypes[Name]['answer'] | undefined> {
  const path = socketOf(data);
  const socket = path === null ? null : await connected(path);
  if (socket === null) return undefined;
  socket.write(`${JSON.stringify({ ask, ...request })}\n`);
  try {
    for await (const text of createInterface({ input: socket })) {
      const line = JSON.parse(text) as ControlLine;
      if ('progress' in line) onProgress?.(line.progress);
      else if ('failed' in line) throw new HubError(line.failed.code, line.failed.message);
      else return line.done as ControlTypes[Name]['answer'];
    }
  } finally {
    socket.destroy();
  }
  throw new HubError('client_closed', `the hub of ${data} stopped before it answered`);
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((settle) => {
    const socket = createConnection(path, () => settle(socket));
    // Keep the listener: without one, a later error would crash the process; with it, only the reading ends.
    socket.on('error', () => settle(null));
  });
}
