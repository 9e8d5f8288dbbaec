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

export type AnswerLine = { readonly done: unknown } | { readonly failed: RunnerFailure };

export async function askServed<Name extends OperationName>(
  root: string,
  note: ServedNote,
  op: Name,
  args: Args<Name>,
  owner: string,
): Promise<Answer<Name>> {
  const socket = await connected(note.socket);
  if (socket === null) throw notRunning(root, note);
  socket.write(`${JSON.stringify({ op, args, owner } satisfies AskedLine)}\n`);
  try {
    for await (const text of createInterface({ input: socket })) {
      const line = JSON.parse(text) as AnswerLine;
      if ('done' in line) return line.done as Answer<Name>;
      const { error, error_code, ...more } = line.failed;
      throw new RunnerRefusal(error_code, error, more);
    }
  } finally {
    socket.destroy();
  }
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
