/** Has the hub that serves a project do an operation: one line there, one line back, over a socket only its owner reaches. */

import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { RunnerRefusal } from '../runner/failure.ts';
import type { Answer, Args, OperationName } from '../runner/operations.ts';
import type { RunnerFailure } from '../runner/types.ts';
import type { ServedNote } from './served-note.ts';

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
  owner: string,
): Promise<Answer<Name>> {
  const asked = `${JSON.stringify({ op, args, owner } satisfies AskedLine)}\n`;
  const socket = await connected(note.socket);
  if (socket === null) throw notRunning(root, note);
  let isHere = false;
  const patience = setTimeout(() => socket.destroy(), HERE_MS);
  try {
    for await (const text of createInterface({ input: socket })) {
      const line = JSON.parse(text) as AnswerLine;
      if ('here' in line) {
        isHere = true;
        clearTimeout(patience);
        socket.write(asked);
        continue;
      }
      if ('done' in line) return line.done as Answer<Name>;
      const { error, error_code, ...more } = line.failed;
      throw new RunnerRefusal(error_code, error, more);
    }
  } finally {
    clearTimeout(patience);
    socket.destroy();
  }
  if (!isHere)
    throw new RunnerRefusal('hub_not_answering', `the hub that serves ${root} does not answer; nothing was asked`);
  const error = `the hub that serves ${root} ended before it answered; whether ${op} was done is in the log: look at the run`;
  throw new RunnerRefusal('outcome_unknown', error);
}

function notRunning(root: string, { data }: ServedNote): RunnerRefusal {
  const where = data === null ? '' : ` --data ${data}`;
  const error = `the log of this run is in a hub that does not run: start it with "parley up${where} --run ${root}", or take the run back with "parley run take-back"`;
  return new RunnerRefusal('hub_not_running', error, { details: { data } });
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((settle) => {
    const socket = createConnection(path, () => settle(socket));
    // Later too: what is read from it ends then.
    socket.on('error', () => settle(null));
  });
}
