/** `parley demo`: shows a demo of every session type. */

import type { Command } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Time limit: a demo that hangs is a failure. */
const DEMO_MS = 20_000;

export const demo: Command = {
  name: 'demo',
  summary: 'Watch a demo of every session type',
  details:
    'Runs a hub with scripted agents in this process for about 13 seconds. Without a terminal it prints plain text without pauses.',
  examples: [
    ['Watch the demo', 'parley demo'],
    ['Without colour', 'NO_COLOR=1 parley demo'],
  ],
  json: 'One line per printed line: {"text"}.',
  async run(_args, io) {
    let tooLong: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const message = `the demo did not end within ${DEMO_MS / 1000} s`;
      const error = new CommandError('failed', 'too_long', message, 'Try again when the machine is less busy.');
      tooLong = setTimeout(() => reject(error), DEMO_MS);
    });
    try {
      const { runDemo } = await import('./run-demo.ts');
      await Promise.race([runDemo(stageOf(io)), limit]);
      return EXIT.done;
    } finally {
      clearTimeout(tooLong);
    }
  },
};

function stageOf(io: Io): Terminal {
  if (!io.isJson) return io.terminal;
  return { isLive: false, columns: io.terminal.columns, paint: (text) => text, write: (text) => io.put({ text }) };
}
