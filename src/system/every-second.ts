/** One tick a second for the whole hub. */

import { schedule } from 'node-cron';

/** Calls `run` every second until stopped. Like a server, a hub keeps its process alive until it is stopped. */
export function everySecond(run: () => void): () => void {
  const task = schedule('* * * * * *', run, { suppressMissedWarning: true });
  return () => void task.destroy();
}
