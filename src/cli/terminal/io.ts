/** Where a command speaks: people and programs read stdout, progress and notes go to stderr. */

import { type Terminal, terminalOf } from './terminal.ts';
import { printableJson, printableLine } from './printable.ts';
import { type Progress, progressOn } from '../../node/commands/progress.ts';

export interface Io {
  readonly isJson: boolean;
  /** For people: what it can show. */
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Lines for people; nothing where JSON was asked for. */
  say(text: string): void;
  /** A value for programs; nothing where it was not asked for. */
  put(value: unknown): void;
  /** One line on stderr, for people. */
  note(text: string): void;
  progress(what: string): Progress;
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function ioOf({ stdout, stderr, env }: Streams, isJson: boolean): Io {
  const terminal = terminalOf(stdout, env);
  const notes = terminalOf(stderr, env);
  return {
    isJson,
    terminal,
    env,
    say: (text) => void (isJson || terminal.write(text)),
    put: (value) => void (isJson && stdout.write(`${printableJson(value)}\n`)),
    note: (text) => notes.write(notes.paint(printableLine(text), 'dim')),
    progress: (what) => progressOn(stderr, what, () => performance.now()),
  };
}
