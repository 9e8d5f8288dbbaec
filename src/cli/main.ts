#!/usr/bin/env node

/** The `parley` command. What there is, is in commands/table.ts; how it ends, in commands/exit-codes.ts. */

import { runCommandLine } from './run-command-line.ts';
import { EXIT } from './terminal/exit-codes.ts';

// Whoever reads the output may stop reading (`parley demo | head`): then there is nothing left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
);

process.exitCode = await runCommandLine(process.argv.slice(2), process);
