/** A run of several flushes over three small segments, on a disk that can be copied and damaged. */

import { segmentName } from '../../../src/store/journal/files.ts';
import type { PlacedRecord, Position } from '../../../src/store/journal/journal-types.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { logOf, openJournal, turn } from './open-journal.ts';

export interface RecordedRun {
  readonly disk: SimDisk;
  readonly records: readonly PlacedRecord[];
  readonly segments: readonly number[];
}

/** `close`: the run ended properly; otherwise the process was killed after the last confirmation. */
export async function recordedRun(close: boolean): Promise<RecordedRun> {
  const disk = new SimDisk();
  const { journal } = await openJournal(disk);
  for (const [flush, size] of [1, 3, 2, 1, 4, 2, 3].entries()) {
    for (let i = 0; i < size; i++) {
      const text = `{"flush":${flush},"record":${i},"pad":"${'é'.repeat(flush + i)}"}`;
      journal.append(i === 1 ? 'lazy' : 'unit', logOf(text), text);
    }
    await journal.flushLazy();
    await turn();
  }
  if (close) await journal.close();
  else disk.kill();
  const copy = disk.copy();
  const { records } = await openJournal(copy);
  const last = records.at(-1)?.position.segment ?? 0;
  return { disk: disk.copy(), records, segments: Array.from({ length: last }, (_, i) => i + 1) };
}

/** The records entirely before a position. */
export function wholeBefore(records: readonly PlacedRecord[], { segment, offset }: Position): readonly string[] {
  return records
    .filter(({ position, bytes }) => {
      return position.segment < segment || (position.segment === segment && position.offset + bytes <= offset);
    })
    .map(({ text }) => text);
}

/** The journal up to a byte of a segment; nothing after it was ever written. */
export function cutCopy(run: RecordedRun, { segment, offset }: Position): SimDisk {
  const disk = run.disk.copy();
  disk.cutAt(segmentName(segment), offset);
  for (const later of run.segments.filter((number) => number > segment)) disk.erase(segmentName(later));
  return disk;
}
