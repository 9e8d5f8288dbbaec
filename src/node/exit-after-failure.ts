/** A hub whose disk failed stays a moment, so that everyone hears of it, and then ends: whoever watches it starts it anew. */

/** EX_IOERR of sysexits.h. */
export const STORE_FAILED_EXIT_CODE = 74;

const STAY_MS = 5_000;

/** The timer keeps the process alive: it must not end with another code before. */
export function exitAfterFailure(): void {
  setTimeout(() => process.exit(STORE_FAILED_EXIT_CODE), STAY_MS);
}
