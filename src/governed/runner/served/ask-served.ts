/**
 * Asks the hub that serves a project to perform an operation: one line each way over a private socket.
 * A starting hub locks the project before its socket is ready, so callers wait for it.
 */

import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Clock } from '../../../core/ports/platform.ts';
import type { RunState } from '../../engine/index.ts';
import { isLockHeld, LOCK_WAIT_MS } from '../../files/lock.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import type { RunnerFailure } from '../contract/types.ts';
import type { RunnerContext } from '../log/runner-context.ts';
import { LOCK_FOLDER } from '../log/with-run.ts';
import type { Answer, Args, OperationName } from '../operations/operations.ts';
import { readServedNote, type ServedNote } from './served-note.ts';

export interface AskedLine {
  readonly op: string;
  readonly args: unknown;
  /** The calling process, which owns the leases and fences. */
  readonly owner: string;
}

/** The first line confirms that the hub listens; the second is the answer. */
export type AnswerLine = { readonly here: true } | { readonly done: unknown } | { readonly failed: RunnerFailure };

/** Time limit for the first line: a stopped process accepts connections but never answers. */
const HERE_MS = 5000;

export async function askServed<Name extends OperationName>(
  root: string,
  note: ServedNote,
  op: Name,
  args: Args<Name>,
  means: RunnerContext,
): Promise<Answer<Name>> {
  // The answer has the type of that operation.
  return (await asked(root, note, { op, args, owner: means.kept.owner }, means.clock)) as Answer<Name>;
}

/** Read-only; does not wait for a running operation. */
export const STATE_OP = 'loadState';

/** Returns null if there is no run. */
export async function askState(
  root: string,
  note: ServedNote,
  { clock, kept }: RunnerContext,
): Promise<RunState | null> {
  return (await asked(root, note, { op: STATE_OP, args: {}, owner: kept.owner }, clock)) as RunState | null;
}

async function asked(root: string, note: ServedNote, line: AskedLine, clock: Clock): Promise<unknown> {
  const question = `${JSON.stringify(line)}\n`;
  const socket = await reachHub(root, note, clock);
  const lines = createInterface({ input: socket });
  // A destroyed socket emits no `end`, so close the lines here.
  socket.once('close', () => lines.close());
  let isHere = false;
  const patience = setTimeout(() => socket.destroy(), HERE_MS);
  try {
    for await (const text of lines) {
      const said = JSON.parse(text) as AnswerLine;
      if ('here' in said) {
        isHere = true;
        clearTimeout(patience);
        socket.write(question);
        continue;
      }
      if ('done' in said) return said.done;
      const { error, error_code, ...more } = said.failed;
      throw new RunnerRefusal(error_code, error, more);
    }
  } finally {
    clearTimeout(patience);
    socket.destroy();
  }
  if (!isHere) {
    throw new RunnerRefusal('hub_not_answering', `the hub that serves ${root} does not answer; nothing was sent`);
  }
  const error = `the hub that serves ${root} ended before it answered; inspect the run to see whether ${line.op} was done`;
  throw new RunnerRefusal('outcome_unknown', error);
}

const LOOK_AGAIN_MS = 50;

/** Throws `hub_not_running`, or `lock_timeout` if another process holds the project. */
async function reachHub(root: string, note: ServedNote, clock: Clock): Promise<Socket> {
  const lock = await resolveInside(root, LOCK_FOLDER);
  const until = clock.monotonic() + LOCK_WAIT_MS;
  for (;;) {
    // A restarted hub may use another socket.
    const { socket } = (await readServedNote(root)) ?? note;
    const reached = await connected(socket);
    if (reached !== null) return reached;
    if (!(await isLockHeld(lock))) throw notRunning(root, note);
    if (clock.monotonic() >= until) throw notYet(root);
    await new Promise<void>((done) => clock.after(LOOK_AGAIN_MS, done));
  }
}

/** Checks the connection without sending a request. */
export async function canBeReached({ socket }: ServedNote): Promise<boolean> {
  const reached = await connected(socket);
  reached?.destroy();
  return reached !== null;
}

function notRunning(root: string, { data }: ServedNote): RunnerRefusal {
  const where = data === null ? '' : ` --data ${data}`;
  const error = `the log of this run is in a hub that is not running: start it with "parley up${where} --run ${root}", or withdraw the run with "parley run take-back"`;
  return new RunnerRefusal('hub_not_running', error, { details: { data } });
}

function notYet(root: string): RunnerRefusal {
  const error = `another process held ${root} for more than ${LOCK_WAIT_MS} ms and is not a reachable hub; nothing was sent`;
  return new RunnerRefusal('lock_timeout', error);
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((settle) => {
    const socket = createConnection(path, () => settle(socket));
    // Keep this listener, because a later error must not crash the process.
    socket.on('error', () => settle(null));
  });
}
