/** Has the hub that serves a project do an operation: one line there, one line back, over a socket only its owner reaches. */

import { createInterface } from 'node:readline';
import type { Clock } from '../../../core/ports/platform.ts';
import type { RunState } from '../../index.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import type { Answer, Args, OperationName } from '../../../node/governed/runner/operations.ts';
import type { RunnerMeans } from '../log/runner-context.ts';
import type { RunnerFailure } from '../contract/types.ts';
import { reachHub } from '../../../node/governed/serving/reach-hub.ts';
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
  means: RunnerMeans,
): Promise<Answer<Name>> {
  // The hub does the operation of that name.
  return (await asked(root, note, { op, args, owner: means.kept.owner }, means.clock)) as Answer<Name>;
}

/** What only looks, and waits for nobody who is at work. */
export const STATE_OP = 'loadState';

/** null = no run is there. */
export async function askState(root: string, note: ServedNote, { clock, kept }: RunnerMeans): Promise<RunState | null> {
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
