/** The socket of the hub that serves a project. One that only just begins holds the project before it can be asked: it is waited for. */

import { createConnection, type Socket } from 'node:net';
import type { Clock } from '../../../core/ports/platform.ts';
import { isLockHeld, LOCK_WAIT_MS } from '../../../governed/files/lock.ts';
import { RunnerRefusal } from '../../../governed/runner/contract/failure.ts';
import { LOCK_FOLDER } from '../../../governed/runner/log/with-run.ts';
import { placeIn } from '../safe-place.ts';
import { readServedNote, type ServedNote } from '../../../governed/runner/served/served-note.ts';

const LOOK_AGAIN_MS = 50;

/** Throws `hub_not_running` with what to do; `lock_timeout` where somebody holds the project and cannot be asked. */
export async function reachHub(root: string, note: ServedNote, clock: Clock): Promise<Socket> {
  const lock = await placeIn(root, LOCK_FOLDER);
  const until = clock.monotonic() + LOCK_WAIT_MS;
  for (;;) {
    // One that begins anew may be asked at another place.
    const { socket } = (await readServedNote(root)) ?? note;
    const reached = await connected(socket);
    if (reached !== null) return reached;
    if (!(await isLockHeld(lock))) throw notRunning(root, note);
    if (clock.monotonic() >= until) throw notYet(root);
    await new Promise<void>((done) => clock.after(LOOK_AGAIN_MS, done));
  }
}

/** For who only wants to know. */
export async function canBeReached({ socket }: ServedNote): Promise<boolean> {
  const reached = await connected(socket);
  reached?.destroy();
  return reached !== null;
}

function notRunning(root: string, { data }: ServedNote): RunnerRefusal {
  const where = data === null ? '' : ` --data ${data}`;
  const error = `the log of this run is in a hub that does not run: start it with "parley up${where} --run ${root}", or take the run back with "parley run take-back"`;
  return new RunnerRefusal('hub_not_running', error, { details: { data } });
}

function notYet(root: string): RunnerRefusal {
  const error = `somebody holds ${root} for longer than ${LOCK_WAIT_MS} ms, and is no hub that can be asked; nothing was asked`;
  return new RunnerRefusal('lock_timeout', error);
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((settle) => {
    const socket = createConnection(path, () => settle(socket));
    // Later too: what is read from it ends then.
    socket.on('error', () => settle(null));
  });
}
