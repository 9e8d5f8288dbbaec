/** A question to whoever sits at the terminal. Anything but a yes is a no. */

import { createInterface } from 'node:readline/promises';

export async function isYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // The end of input is no answer.
  const ended = new Promise<string>((answer) => lines.once('close', () => answer('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), ended])).trim());
  } finally {
    lines.close();
  }
}
