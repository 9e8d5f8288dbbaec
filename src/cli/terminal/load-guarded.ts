/** Loads a file that runs code: reports when it takes too long or ends the process. */

import { EXIT } from './exit-codes.ts';
import { printableLine } from './printable.ts';

/** Time limit, long enough for slow lookups at load time. */
const MAX_MS = 30_000;
const NOTE_AFTER_MS = 3_000;

const loading = new Set<string>();

/** Rejects on timeout; the load itself cannot be stopped, and its result is ignored. */
export async function loadGuarded<T>(file: string, load: () => Promise<T>): Promise<T> {
  begin(file);
  let stop = (): void => {};
  try {
    return await Promise.race([
      load(),
      new Promise<never>((_, reject) => {
        // The timers also keep the process alive: otherwise it could end without a message.
        const noteTimer = setTimeout(() => note(`${file} is still loading`), NOTE_AFTER_MS);
        const why = `not loaded within ${MAX_MS / 1000} s; does it await something that never happens?`;
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

/** Reports a file that ended the process while loading. */
function onExit(code: number): void {
  const [first = '', ...others] = loading;
  const who = others.length === 0 ? first : `one of ${[first, ...others].join(', ')}`;
  note(`${who}: expected it to load, and it ended the process (exit code ${code})`);
  process.exitCode = EXIT.wrong;
}

function note(text: string): void {
  process.stderr.write(`${printableLine(`parley: ${text}`)}\n`);
}
