/** Flips a bit in the text of a record in the journal or archive of a closed data folder. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listArchives, segmentName, withSegment } from '../../src/store/journal/files.ts';
import type { PlacedRecord } from '../../src/store/journal/journal-types.ts';
import { realFiles } from '../../src/store/journal/real-files.ts';
import { scanJournal, scanWhole } from '../../src/store/journal/scan.ts';

/** The unit of this log that begins with this seq. */
export async function damageUnit(data: string, id: string, seq: number): Promise<void> {
  await damageRecord(data, ({ logId, text }) => logId === id && JSON.parse(text).entries[0]?.envelope.seq === seq);
}

export async function damageRecord(data: string, isIt: (record: PlacedRecord) => boolean): Promise<PlacedRecord> {
  const folder = join(data, 'journal');
  const files = await realFiles(folder);
  const found: PlacedRecord[] = [];
  const onRecord = (record: PlacedRecord): void => void found.push(record);
  await scanJournal(files, { onRecord });
  for (const archive of await listArchives(files)) {
    await withSegment(files, archive, (file) => scanWhole(file, archive, { onRecord }));
  }
  const record = found.find(isIt);
  if (record === undefined) throw new Error('no record fits');
  const path = join(folder, segmentName(record.position.segment));
  const bytes = await readFile(path);
  const at = record.position.offset + record.bytes - 4;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
  return record;
}
