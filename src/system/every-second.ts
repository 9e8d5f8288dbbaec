import { schedule } from 'node-cron';

/** Calls `run` every second until stopped. Like a server, it keeps the process alive. */
export function everySecond(run: () => void): () => void {
  const task = schedule('* * * * * *', run, { suppressMissedWarning: true });
  return () => void task.destroy();
}
