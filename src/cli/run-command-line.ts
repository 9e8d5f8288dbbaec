/**
 * The `parley` command line: parses the words, runs one command and gives its exit code.
 *
 * `table.ts` lists the commands. Each is one record (`terminal/command.ts`), from which the parser, --help, the completion
 * scripts and docs/reference/cli.md are made. Commands are grouped as in --help: talking, reading, joining, operating, maintenance,
 * governed, demo. They reach a hub through `connecting/connect.ts` and speak through `terminal/io.ts`: results go to stdout,
 * notes to stderr, and with --json stdout is JSON and nothing else. Every error ends here, with one code of
 * `terminal/exit-codes.ts`. Help and version must start fast: commands load what they run with `import()`.
 */

import { packageVersion } from '../system/package.ts';
import { helpOf, helpOfAll } from './help.ts';
import { parseCommand } from './parse-command.ts';
import { COMMANDS } from './table.ts';
import { reportError } from './terminal/command-error.ts';
import { EXIT } from './terminal/exit-codes.ts';
import { createIo, type Streams } from './terminal/io.ts';
import { printable, printableJson, printableLine } from './terminal/printable.ts';

export async function runCommandLine(words: readonly string[], streams: Streams): Promise<number> {
  const end = words.indexOf('--');
  const isJson = words.slice(0, end < 0 ? undefined : end).includes('--json');
  const io = createIo(streams, isJson);
  try {
    const parsed = parseCommand(COMMANDS, words);
    if (parsed.kind === 'run') return await parsed.command.run(parsed.args, io);
    const text =
      parsed.kind === 'version'
        ? `${packageVersion()}\n`
        : parsed.command === null
          ? helpOfAll(COMMANDS)
          : helpOf(parsed.command);
    if (isJson) io.put(parsed.kind === 'version' ? { version: packageVersion() } : { help: text });
    else streams.stdout.write(text);
    return EXIT.done;
  } catch (thrown) {
    return complain(thrown, isJson, streams);
  }
}

/** In the way that was asked for; a defect of ours with the place it happened at. */
function complain(thrown: unknown, isJson: boolean, { stderr, env }: Streams): number {
  const { exit, ...error } = reportError(thrown);
  if (isJson) stderr.write(`${printableJson({ error: { ...error, exit } })}\n`);
  // A line each: what others wrote cannot add one that looks like ours.
  else {
    const { message, hint, problems = [] } = error;
    const lines = [`parley: ${message}`, ...problems.map((one) => `  ${one}`), ...(hint === '' ? [] : [hint])];
    stderr.write(lines.map((line) => `${printableLine(line)}\n`).join(''));
  }
  if (env.PARLEY_DEBUG && thrown instanceof Error) stderr.write(printable(`${thrown.stack ?? ''}\n`));
  return exit;
}
