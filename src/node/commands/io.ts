/** Where a command speaks: people and programs read stdout, progress and notes go to stderr. */

import { type Terminal, terminalOf } from '../terminal.ts';

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
  /** How far long work is: on a terminal one line that changes, else a line every ten percent. */
  progress(what: string): (at: { readonly bytes: number; readonly of: number }) => void;
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
    put: (value) => void (isJson && stdout.write(`${JSON.stringify(value)}\n`)),
    note: (text) => notes.write(notes.paint(text, 'dim')),
    progress: (what) => progressOn(stderr, what),
  };
}

const STEP = 10;

function progressOn(stderr: NodeJS.WriteStream, what: string): ReturnType<Io['progress']> {
  let last = -1;
  return ({ bytes, of }) => {
    const percent = of === 0 ? 100 : Math.floor((100 * bytes) / of);
    const isDue = stderr.isTTY === true ? percent > last : percent >= last + STEP || (percent === 100 && last < 100);
    if (!isDue) return;
    last = stderr.isTTY === true ? percent : percent - (percent % STEP);
    const line = `${what}: ${percent} %`;
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${line}${percent === 100 ? '\n' : ''}`);
    else stderr.write(`${line}\n`);
  };
}
