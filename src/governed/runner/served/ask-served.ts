/**
 * Asks the hub that serves a project to do an operation: one line there, one line back, over a socket only its owner reaches.
 * A hub that has only just begun holds the project before it can be asked, so the caller waits for its socket.
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
  /** The process that asks, which leases and fences are told apart by. */
  readonly owner: string;
}

/** The first line says that somebody is there; the second is the answer. */
export type AnswerLine = { readonly here: true } | { readonly done: unknown } | { readonly failed: RunnerFailure };

/** A hub that is stopped takes calls and says nothing. */
const HERE_MS = 5000;

export async function askServed<Name extends OperationName>(
  root: string,
  note: ServedNote,
  op: Name,
  args: Args<Name>,
  means: RunnerContext,
): Promise<Answer<Name>> {
  // The hub does the operation of that name.
  return (await asked(root, note, { op, args, owner: means.kept.owner }, means.clock)) as Answer<Name>;
}

/** What only looks, and waits for nobody who is at work. */
export const STATE_OP = 'loadState';

/** null = no run is there. */
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
  // One that is destroyed has no end, which alone would end its lines.
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
  if (!isHere)
    throw new RunnerRefusal('hub_not_answering', `the hub that serves ${root} does not answer; nothing was asked`);
  const error = `the hub that serves ${root} ended before it answered; whether ${line.op} was done is in the log: look at the run`;
  throw new RunnerRefusal('outcome_unknown', error);
}

const LOOK_AGAIN_MS = 50;

/** Throws `hub_not_running` with what to do; `lock_timeout` where somebody holds the project and cannot be asked. */
async function reachHub(root: string, note: ServedNote, clock: Clock): Promise<Socket> {
  const lock = await resolveInside(root, LOCK_FOLDER);
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
