/** Writes the output of a command: results to stdout, progress and notes to stderr. */

import { once } from 'node:events';
import { printableJson, printableLine } from './printable.ts';
import { type Terminal, terminalOf } from './terminal.ts';

export interface Io {
  readonly isJson: boolean;
  /** Capabilities of stdout. */
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes lines for people; ignored with --json. */
  say(text: string): void;
  /** Writes a JSON line for programs; ignored without --json. */
  put(value: unknown): void;
  /** Writes one line to stderr, for people. */
  note(text: string): void;
  progress(what: string): Progress;
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createIo({ stdout, stderr, env }: Streams, isJson: boolean): Io {
  const terminal = terminalOf(stdout, env);
  const notes = terminalOf(stderr, env);
  return {
    isJson,
    terminal,
    env,
    say: (text) => void (isJson || terminal.write(text)),
    put: (value) => void (isJson && stdout.write(`${printableJson(value)}\n`)),
    note: (text) => notes.write(notes.paint(printableLine(text), 'dim')),
    progress: (what) => createProgress(stderr, what, () => performance.now()),
  };
}

type Progress = (at: { readonly bytes: number; readonly of: number }) => void;

interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const STEP = 10;
const QUIET_MS = 500;

export function createProgress(output: ProgressOutput, what: string, now: () => number): Progress {
  const isLive = output.isTTY === true;
  const begunMs = now();
  let last: number | null = null;
  return ({ bytes, of }) => {
    const percent = of === 0 ? 100 : Math.floor((100 * bytes) / of);
    if (last === null && now() - begunMs < QUIET_MS) return;
    const shown = isLive || percent === 100 ? percent : percent - (percent % STEP);
    if (last !== null && shown <= last) return;
    last = shown;
    const line = `${what}: ${shown} %`;
    output.write(isLive ? `\r\u001b[K${line}${shown === 100 ? '\n' : ''}` : `${line}\n`);
  };
}

/** Resolves at the first SIGINT or SIGTERM. */
export async function waitForInterrupt(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
