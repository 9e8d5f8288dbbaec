/** Waits until the journal has prepared its next segment, so that this disturbs no measurement. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SPARE_NAME } from '../../src/store/journal/files.ts';
import { SEGMENT_BYTES } from '../../src/store/journal/journal.ts';

const MOST_MS = 3000;

export async function journalAtRest(folder: string): Promise<void> {
  const spare = join(folder, 'journal', SPARE_NAME);
  for (let waited = 0; waited < MOST_MS && isBeingMade(spare); waited += 20) await setTimeout(20);
}

function isBeingMade(path: string): boolean {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? SEGMENT_BYTES;
  return bytes < SEGMENT_BYTES;
}
