/** Loads a file that is a program: it may never be done, and it may end the process that it is loaded into. Neither goes without a word. */

import { EXIT } from './exit-codes.ts';
import { printableLine } from './printable.ts';

/** A program that looks something up before it is ready has time for it. */
const MAX_MS = 30_000;
const TOLD_AFTER_MS = 3_000;

const loading = new Set<string>();

/** Throws when it takes too long; what is loaded cannot be stopped, but need not be waited for. */
export async function loadGuarded<T>(file: string, load: () => Promise<T>): Promise<T> {
  begin(file);
  let stop = (): void => {};
  try {
    return await Promise.race([
      load(),
      new Promise<never>((_, reject) => {
        // They also keep the process alive: one that waits for nothing else ends without a word.
        const noteTimer = setTimeout(() => note(`${file} is still being loaded`), TOLD_AFTER_MS);
        const why = `it was not done within ${MAX_MS / 1000} s; does it await something that never comes?`;
        const timeout = setTimeout(() => reject(new Error(why)), MAX_MS);
        stop = () => {
          clearTimeout(noteTimer);
          clearTimeout(timeout);
        };
      }),
    ]);
  } finally {
    stop();
    end(file);
  }
}

function begin(file: string): void {
  if (loading.size === 0) process.on('exit', onExit);
  loading.add(file);
}

function end(file: string): void {
  loading.delete(file);
  if (loading.size === 0) process.off('exit', onExit);
}

/** Nobody who awaits the file hears of it any more. */
function onExit(code: number): void {
  const [first = '', ...others] = loading;
  const who = others.length === 0 ? first : `one of ${[first, ...others].join(', ')}`;
  note(`${who}: expected it to load, and it ended the process (exit code ${code})`);
  process.exitCode = EXIT.wrong;
}

function note(text: string): void {
  process.stderr.write(`${printableLine(`parley: ${text}`)}\n`);
}
