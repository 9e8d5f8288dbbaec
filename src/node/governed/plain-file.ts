/** The text of one plain file, within a bound; no link is followed and nothing is waited for. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Throws for what is not there, is no plain file or is larger. */
export async function readPlain(place: string, maxBytes: number): Promise<string> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('expected a plain file');
    if (found.size > maxBytes) throw new Error(`expected at most ${maxBytes} bytes, got ${found.size}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
