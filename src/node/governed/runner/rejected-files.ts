/** What was rejected, one file for each: an attempt is rejected more than once when a run that was blocked goes on. */

import { RUN_FOLDER } from '../../../governed/engine/dispatch/paths.ts';
import { digestOf, type Turn } from '../../../governed/index.ts';
import { isRecord, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { placeIn } from '../safe-place.ts';
import { asText, readWhole, writeWhole } from '../whole-file.ts';

type Attempt = Pick<Turn, 'turn_id' | 'attempt'>;

/** Under the same name however often the same is tried, and never over something else. */
export async function addRejected(root: string, attempt: Attempt, entry: Unknowns): Promise<void> {
  const kept = await rejectedOf(root, attempt);
  if (kept.some((one) => isSame(one, entry))) return;
  await writeWhole(await placeIn(root, pathOf(attempt, kept.length + 1)), asText(entry));
}

/** All of that attempt, oldest first; one that cannot be read stands as an empty one. */
export async function rejectedOf(root: string, attempt: Attempt): Promise<readonly Unknowns[]> {
  const kept: Unknowns[] = [];
  for (;;) {
    const text = await readWhole(await placeIn(root, pathOf(attempt, kept.length + 1)));
    if (text === null) return kept;
    kept.push(parsed(text));
  }
}

function pathOf({ turn_id, attempt }: Attempt, nth: number): string {
  return `${RUN_FOLDER}/dispatch/rejected/${turn_id}-attempt-${attempt}${nth === 1 ? '' : `-${nth}`}.json`;
}

/** A call that was cut short and is made again differs in its time alone. */
function isSame(one: Unknowns, other: Unknowns): boolean {
  return digestOf({ ...one, rejected_at: null }) === digestOf({ ...other, rejected_at: null });
}

function parsed(text: string): Unknowns {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
