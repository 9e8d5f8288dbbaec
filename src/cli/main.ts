#!/usr/bin/env node

/** Entry point of the `parley` command. */
import { runCommandLine } from './run-command-line.ts';
import { EXIT } from './terminal/exit-codes.ts';

// A reader may close the pipe early, as in `parley demo | head`: that is success.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
);

process.exitCode = await runCommandLine(process.argv.slice(2), process);
