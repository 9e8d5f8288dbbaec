/** `parley demo`. */

import type { Command } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The demonstration promises to end by itself; if it hangs, that is a failure. */
const DEMO_MS = 20_000;

export const demo: Command = {
  name: 'demo',
  summary: 'Watch sessions of every kind live and end.',
  details:
    'A hub in this process, scripted agents and a person. Takes about twelve seconds; without a terminal it does not pause and writes plain text.',
  examples: ['parley demo', 'NO_COLOR=1 parley demo'],
  json: 'A line for each line of the demonstration: {"text"}.',
  async run(_args, io) {
    let tooLong: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const message = `the demonstration did not end within ${DEMO_MS / 1000} s`;
      tooLong = setTimeout(
        () => reject(new CommandError('failed', 'too_long', message, 'Try again on a machine with less to do.')),
        DEMO_MS,
      );
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
