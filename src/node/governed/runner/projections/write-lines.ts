/** A file of lines as it should be: nothing is written if it is so, the rest is added if it is the beginning, else it is written anew. */

import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { writeWhole } from '../../whole-file.ts';

export async function writeLines(place: string, text: string): Promise<void> {
  const wanted = Buffer.from(text);
  const found = await bytesOf(place);
  if (found?.equals(wanted) === true) return;
  const isBeginning = found !== null && found.length < wanted.length && wanted.subarray(0, found.length).equals(found);
  // What was torn in the middle of a line is a beginning too, and what is added ends it.
  if (isBeginning) await append(place, wanted.subarray(found.length));
  else await writeWhole(place, wanted);
}

/** A file that is not made of lines is there whole or not at all. */
export async function writeIfOther(place: string, text: string): Promise<void> {
  const found = await bytesOf(place);
  if (found?.equals(Buffer.from(text)) !== true) await writeWhole(place, text);
}

async function append(place: string, rest: Buffer): Promise<void> {
  const { O_APPEND, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(place, O_APPEND | O_NOFOLLOW | O_WRONLY);
  try {
    await file.appendFile(rest);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** null = there is no plain file. */
async function bytesOf(place: string): Promise<Buffer | null> {
  return readFile(place).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
}
