// Replays a transcript through the reader of a CLI, without a program.

import { type AgentError, isAgentError } from '../../../src/participants/agent/agent-error.ts';
import type { AgentReply, ProgressEvent } from '../../../src/participants/agent/agent-fn.ts';
import type { CliOutput } from '../../../src/participants/clis/output/cli-output.ts';
import { finishTurn } from '../../../src/participants/clis/output/finish-turn.ts';
import type { CliRecord, Resumed } from '../../../src/participants/clis/records/cli-record.ts';
import type { ProgramResult } from '../../../src/participants/processes/program.ts';

/** A line of a transcript: an event or plain text. */
export type Line = string | object;

/** Name, transcript, fields of the program's result, and the expected error kind. */
export type Failures = readonly (readonly [string, readonly Line[], object, string])[];

export interface Replayed {
  readonly deltas: readonly string[];
  readonly progress: readonly ProgressEvent[];
  readonly heard: CliOutput;
  readonly reply: AgentReply | null;
  readonly error: AgentError | null;
}

export function replay<State extends CliOutput>(
  record: CliRecord<State>,
  lines: readonly Line[],
  ran: Partial<ProgramResult> = {},
  resumed: Resumed | null = null,
): Replayed {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const deltas: string[] = [];
  const progress: ProgressEvent[] = [];
  let state = record.begin(resumed);
  for (const text of texts) {
    const reading = record.read(text, state);
    state = reading.state;
    if (reading.delta !== undefined) deltas.push(reading.delta);
    if (reading.progress !== undefined) progress.push(reading.progress);
  }
  const seen = { deltas, progress, heard: state };
  try {
    return { ...seen, reply: finishTurn(record, ranOf(texts, ran), state), error: null };
  } catch (error) {
    if (!isAgentError(error)) throw error;
    return { ...seen, reply: null, error };
  }
}

function ranOf(texts: readonly string[], ran: Partial<ProgramResult>): ProgramResult {
  const stdout = texts.map((text) => `${text}\n`).join('');
  return { exitCode: 0, signal: null, stdout, stderr: '', truncated: false, endedBy: 'exit', ...ran };
}

export const unknownUsage = {
  input_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
};
