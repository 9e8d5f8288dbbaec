/** What a loop calls is code of the project too, and may end the process: that does not go without a word, nor as a good end. */

import { EXIT } from '../../../cli/terminal/exit-codes.ts';
import { printableLine } from '../../../cli/terminal/printable.ts';

/** `out`: the turns that are out, in words. Of a person who has ended it (the signal) nobody needs to be told. */
export function watchForEnd(signal: AbortSignal, out: () => readonly string[]): { end(): void } {
  const onExit = (code: number): void => {
    if (signal.aborted) return;
    const when = out().length === 0 ? '' : ` while ${out().join(', ')} was out`;
    const what = `the loop is not over, and something in it has ended the process${when} (exit code ${code})`;
    process.stderr.write(`${printableLine(`parley: ${what}`)}\n`);
    process.stderr.write('An adapter of the project must not call process.exit. Go on with: parley run loop\n');
    process.exitCode = EXIT.failed;
  };
  process.once('exit', onExit);
  return { end: () => void process.off('exit', onExit) };
}
