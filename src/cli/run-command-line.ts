/**
 * The `parley` command line: parses the words, runs one command and returns its exit code.
 *
 * `table.ts` lists the commands, each a record (`terminal/command.ts`). They connect through `connecting/connect.ts` and write
 * through `terminal/io.ts`: results to stdout, notes to stderr, only JSON to stdout with --json. Every error ends here, with a code
 * of `terminal/exit-codes.ts`. Commands load what they run with `import()`, so that help and version start fast.
 */

import { packageVersion } from '../system/package.ts';
import { helpOf, helpOfAll, helpOfTopic } from './help.ts';
import { parseCommand } from './parse-command.ts';
import { COMMAND_GROUPS, COMMANDS } from './table.ts';
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
    const value = parsed.kind === 'version' ? { version: packageVersion() } : { help: helpText(parsed) };
    if (isJson) io.put(value);
    else streams.stdout.write(value.help ?? `${value.version}\n`);
    return EXIT.done;
  } catch (thrown) {
    return complain(thrown, isJson, streams);
  }
}

function helpText({ command, topic }: Extract<ReturnType<typeof parseCommand>, { kind: 'help' }>): string {
  if (topic !== undefined) return helpOfTopic(topic);
  return command === null ? helpOfAll(COMMAND_GROUPS) : helpOf(command);
}

/** Reports an error as text or JSON. PARLEY_DEBUG adds the stack. */
function complain(thrown: unknown, isJson: boolean, { stderr, env }: Streams): number {
  const { exit, ...error } = reportError(thrown);
  if (isJson) stderr.write(`${printableJson({ error: { ...error, exit } })}\n`);
  // Print each text on one line, so that foreign text cannot add a line that looks like ours.
  else {
    const { message, hint, problems = [] } = error;
    const lines = [`parley: ${message}`, ...problems.map((one) => `  ${one}`), ...(hint === '' ? [] : [hint])];
    stderr.write(lines.map((line) => `${printableLine(line)}\n`).join(''));
  }
  if (env.PARLEY_DEBUG && thrown instanceof Error) stderr.write(printable(`${thrown.stack ?? ''}\n`));
  return exit;
}
