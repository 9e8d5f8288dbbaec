/** Rewrites a sealed segment or archive file without some records; the positions of the others change. */

import { MOVED_FAMILY, type MovedLog } from '../catalogue/store-operations.ts';
import { orderAt } from '../index/index-keys.ts';
import type { LogRecord } from '../index/log-record.ts';
import { withSegment } from '../journal/files.ts';
import type { PlacedRecord } from '../journal/journal-types.ts';
import { RecordFile } from '../journal/record-file.ts';
import { scanJournal, scanWhole } from '../journal/scan.ts';
import type { StoreInternals } from './maintenance-types.ts';

function movedText(log_id: string, { order }: LogRecord): string {
  const moved: MovedLog = { log_id, order, epoch: 1, archived_at: null };
  return JSON.stringify(moved);
}

/** Returns the bytes freed. Keeps a damaged segment unchanged so that it can be inspected. */
export async function compactSegment(
  { files, journal, catalogue }: StoreInternals,
  segment: number,
  isDropped: (record: PlacedRecord) => boolean,
  textOf: (logId: string, text: string) => string = (_, text) => text,
): Promise<number> {
  const before = await withSegment(files, segment, (file) => file.size());
  const offsets = new Map<number, number>();
  const logIds = new Set<string>();
  const part = await RecordFile.create(files, segment);
  const isArchive = segment < 0;
  let isChanged = false;
  const scanned = {
    from: { segment, offset: 0 },
    until: { segment, offset: before },
    async onRecord(record: PlacedRecord) {
      if (isDropped(record)) return;
      const { kind, logId, position } = record;
      const text = kind === 'unit' ? textOf(logId, record.text) : record.text;
      isChanged ||= text !== record.text;
      const about = kind === 'unit' && !logIds.has(logId) ? catalogue.record(logId) : null;
      // For the first unit of a log, record the order: it would otherwise be derived from the new position.
      if (about !== null && about.order === orderAt(position))
        await part.add('lazy', MOVED_FAMILY, movedText(logId, about));
      const { offset } = await part.add(isArchive && kind === 'unit' ? 'packed' : kind, logId, text);
      offsets.set(position.offset, offset);
      if (kind === 'unit') logIds.add(logId);
    },
  };
  const { damages, lastMark } = isArchive
    ? await withSegment(files, segment, (file) => scanWhole(file, segment, scanned))
    : await scanJournal(files, scanned);
  const isSound = damages.length === 0 && lastMark?.position.segment === segment;
  if (!isSound || (part.bytes >= before && !isChanged)) {
    await part.discard();
    catalogue.archive.leftovers.delete(segment);
    return 0;
  }
  const freed = before - part.bytes;
  await part.finish(lastMark.flush, { compacted: !isArchive });
  await journal.replaceSegment(segment, part.name, () => catalogue.relocateSegment(segment, logIds, offsets));
  catalogue.archive.leftovers.delete(segment);
  return freed;
}
