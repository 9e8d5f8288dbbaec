/** Opens the socket on which a hub takes requests for operations on a project's runs. */

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeFolder } from '../../system/make-folder.ts';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import { resolveInside } from '../files/safe-path.ts';
import { failureOf } from '../runner/contract/failure.ts';
import type { AnswerLine, AskedLine } from '../runner/served/ask-served.ts';

/** Maximum bytes of a socket path; operating systems allow little more. */
const LONGEST_NAME = 100;

export interface RunSocket {
  readonly path: string;
  close(): Promise<void>;
}

export async function openRunSocket(root: string, answer: (asked: AskedLine) => Promise<unknown>): Promise<RunSocket> {
  const { path, remove } = await placeFor(root);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    void serveOne(socket, answer);
  });
  await listening(server, path);
  await chmod(path, 0o600);
  return {
    path,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of open) socket.end();
      await closed;
      await remove();
    },
  };
}

/** Places the socket in the project's run folder, or in a temporary folder if that path is too long. */
async function placeFor(root: string): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const near = await resolveInside(root, `${RUN_FOLDER}/hub.sock`);
  const isShort = Buffer.byteLength(near) <= LONGEST_NAME;
  if (isShort) await makeFolder(dirname(near));
  const folder = isShort ? null : await mkdtemp(join(tmpdir(), 'parley-'));
  const path = folder === null ? near : join(folder, 'hub.sock');
  // This process holds the lock, so an existing socket is stale.
  await rm(path, { force: true });
  return { path, remove: () => rm(folder ?? path, { recursive: true, force: true }) };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((opened, failed) => {
    server.once('error', failed);
    server.listen(path, opened);
  });
}

async function serveOne(socket: Socket, answer: (asked: AskedLine) => Promise<unknown>): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    socket.write(`${JSON.stringify({ here: true } satisfies AnswerLine)}\n`);
    for await (const text of createInterface({ input: socket })) {
      socket.end(`${JSON.stringify(await answered(text, answer))}\n`);
      return;
    }
  } catch {
    // The client disconnected; the log shows whether the operation was done.
    socket.destroy();
  }
}

async function answered(text: string, answer: (asked: AskedLine) => Promise<unknown>): Promise<AnswerLine> {
  try {
    return { done: await answer(JSON.parse(text) as AskedLine) };
  } catch (thrown) {
    return { failed: failureOf(thrown) };
  }
}
