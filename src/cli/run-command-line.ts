/** Runs what was typed: to its exit code, with one way to tell what went wrong. */

import { createRequire } from 'node:module';
import { EXIT } from './terminal/exit-codes.ts';
import { helpOf, helpOfAll } from './help.ts';
import { ioOf, type Streams } from './terminal/io.ts';
import { parseCommand } from './parse-command.ts';
import { printable, printableJson, printableLine } from './terminal/printable.ts';
import { COMMANDS } from '../node/commands/table.ts';
import { told } from './terminal/command-error.ts';

export async function runWords(words: readonly string[], streams: Streams): Promise<number> {
  const end = words.indexOf('--');
  const isJson = words.slice(0, end < 0 ? undefined : end).includes('--json');
  const io = ioOf(streams, isJson);
  try {
    const parsed = parseCommand(COMMANDS, words);
    if (parsed.kind === 'run') return await parsed.command.run(parsed.asked, io);
    const text =
      parsed.kind === 'version'
        ? `${version()}\n`
        : parsed.command === null
          ? helpOfAll(COMMANDS)
          : helpOf(parsed.command);
    if (isJson) io.put(parsed.kind === 'version' ? { version: version() } : { help: text });
    else streams.stdout.write(text);
    return EXIT.done;
  } catch (thrown) {
    return complain(thrown, isJson, streams);
  }
}

/** In the way that was asked for; a defect of ours with the place it happened at. */
function complain(thrown: unknown, isJson: boolean, { stderr, env }: Streams): number {
  const { exit, ...error } = told(thrown);
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

function version(): string {
  // By the package's own name: the same from the sources and from what is built.
  const manifest: { readonly version: string } = createRequire(import.meta.url)('parley-hub/package.json');
  return manifest.version;
}
