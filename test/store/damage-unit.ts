/** Flips a bit in the text of the unit that begins with this seq, in the journal or in the archive of a closed data folder. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlacedRecord } from '../../src/node/journal/journal-types.ts';
import { realFiles } from '../../src/node/journal/real-files.ts';
import { scanJournal, scanWhole } from '../../src/node/journal/scan.ts';
import { listArchives, segmentName, withSegment } from '../../src/node/journal/segments.ts';

export async function damageUnit(data: string, id: string, seq: number): Promise<void> {
  const folder = join(data, 'journal');
  const files = await realFiles(folder);
  const found: PlacedRecord[] = [];
  const onRecord = (record: PlacedRecord): void => void found.push(record);
  await scanJournal(files, { onRecord });
  for (const archive of await listArchives(files)) {
    await withSegment(files, archive, (file) => scanWhole(file, archive, { onRecord }));
  }
  const record = found.find(({ logId, text }) => logId === id && JSON.parse(text).entries[0]?.envelope.seq === seq);
  if (record === undefined) throw new Error(`no unit of ${id} begins with ${seq}`);
  const path = join(folder, segmentName(record.position.segment));
  const bytes = await readFile(path);
  const at = record.position.offset + record.bytes - 4;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
