/** Draws the screen of a chat: a terminal with live text and a prompt at the bottom, or plain lines. */

import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import { printable } from '../terminal/printable.ts';

/** The lines at the bottom of the screen. */
interface Status {
  /** Text others are writing; empty if nobody is writing. */
  readonly live: string;
  readonly prompt: string;
}

export interface ChatScreen {
  /** Prints whole lines above the prompt. */
  print(lines: readonly string[]): void;
  status(status: Status): void;
  /** Resolves at the end of the input, or when interrupted. */
  readonly ended: Promise<void>;
  close(): void;
}

interface ChatStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

type OnLine = (line: string) => void;

export function terminalScreen({ stdin, stdout }: ChatStreams, onLine: OnLine): ChatScreen {
  const input = createInterface({ input: stdin, output: stdout, terminal: true, historySize: 100 });
  let last = '';
  const ended = new Promise<void>((resolve) => {
    input.once('close', resolve);
    input.once('SIGINT', () => input.close());
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  input.on('line', (line) => {
    onLine(line);
    input.prompt();
  });
  return {
    ended,
    print(lines) {
      if (isOver || lines.length === 0) return;
      clearBelow(input, stdout);
      stdout.write(`${lines.join('\n')}\n`);
      // Reset readline's row count: the rows it drew are cleared.
      (input as unknown as { prevRows: number }).prevRows = 0;
      input.prompt(true);
    },
    status({ live, prompt }) {
      const text = live === '' ? prompt : `${oneLine(live, stdout.columns || 80)}\n${prompt}`;
      if (isOver || text === last) return;
      last = text;
      clearBelow(input, stdout);
      (input as unknown as { prevRows: number }).prevRows = 0;
      input.setPrompt(text);
      input.prompt(true);
    },
    close: () => input.close(),
  };
}

/** Clears from the first row of the prompt down. */
function clearBelow(input: ReturnType<typeof createInterface>, stdout: NodeJS.WriteStream): void {
  cursorTo(stdout, 0);
  const { rows } = input.getCursorPos();
  if (rows > 0) moveCursor(stdout, 0, -rows);
  clearScreenDown(stdout);
}

/** Shortens the text to one line: keeps its beginning and its end, which is the newest part. */
function oneLine(text: string, columns: number): string {
  const line = printable(text).replaceAll(/\s+/g, ' ');
  const room = Math.max(20, columns - 2);
  return line.length <= room ? line : `${line.slice(0, 20)}…${line.slice(21 - room)}`;
}

export function plainScreen({ stdin, stdout }: ChatStreams, onLine: OnLine, isJson: boolean): ChatScreen {
  const input = createInterface({ input: stdin, terminal: false });
  input.on('line', onLine);
  const ended = new Promise<void>((resolve) => {
    input.once('close', resolve);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => input.close());
  });
  return {
    ended,
    print: (lines) => void (isJson || lines.length === 0 || stdout.write(`${lines.join('\n')}\n`)),
    status: () => {},
    close: () => input.close(),
  };
}
