/** Rewrites a segment that is not written any more without some of its records. What stays has other places then. */

import type { PlacedRecord } from '../journal/journal-types.ts';
import { scanJournal } from '../journal/scan.ts';
import { withSegment } from '../journal/segments.ts';
import type { OpenParts } from './care-types.ts';
import { orderAt } from './index-keys.ts';
import type { LogRecord } from './log-record.ts';
import { MOVED_FAMILY, type MovedLog } from './moved-log.ts';
import { PartFile } from './part-file.ts';

function movedText(log_id: string, { order }: LogRecord): string {
  const moved: MovedLog = { log_id, order, epoch: 1, archived_at: null };
  return JSON.stringify(moved);
}

/** Gives the bytes that were freed. A damaged segment is left as it is: nothing may be lost that could be looked at. */
export async function compactSegment(
  { files, journal, catalogue }: OpenParts,
  segment: number,
  isDropped: (record: PlacedRecord) => boolean,
): Promise<number> {
  const before = await withSegment(files, segment, (file) => file.size());
  const offsets = new Map<number, number>();
  const logIds = new Set<string>();
  const part = await PartFile.create(files, segment);
  const { damages, lastMark } = await scanJournal(files, {
    from: { segment, offset: 0 },
    until: { segment, offset: before },
    async onRecord(record) {
      if (isDropped(record)) return;
      const { kind, logId, text, position } = record;
      const about = kind === 'unit' && !logIds.has(logId) ? catalogue.record(logId) : null;
      // The first of its units here may be the first of all: its order would follow from its place.
      if (about !== null && about.order === orderAt(position))
        await part.add('lazy', MOVED_FAMILY, movedText(logId, about));
      const { offset } = await part.add(kind, logId, text);
      offsets.set(position.offset, offset);
      if (kind === 'unit') logIds.add(logId);
    },
  });
  if (damages.length > 0 || lastMark?.position.segment !== segment || part.bytes >= before) {
    await part.discard();
    catalogue.compacted(segment);
    return 0;
  }
  const freed = before - part.bytes;
  await part.finish(lastMark.flush, { compacted: true });
  await journal.replaceSegment(segment, part.name, () => catalogue.moved(segment, logIds, offsets));
  catalogue.compacted(segment);
  return freed;
}
