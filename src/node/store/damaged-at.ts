/** Whether the journal itself is damaged at a place, or only whoever looked there was misled. */

import type { Files } from '../journal/files.ts';
import type { Damage, Position } from '../../store/journal/journal-types.ts';
import { scanJournal, scanWhole } from '../../store/journal/scan.ts';
import { segmentName, withSegment } from '../journal/segments.ts';

/** `end`: where what is confirmed ends. */
export async function isDamagedAt(files: Files, { segment, offset }: Position, end: Position): Promise<boolean> {
  // A file that is gone is damage.
  if (!(await files.list()).includes(segmentName(segment))) return true;
  const damages = await damagesIn(files, segment, end);
  return damages.some(({ from, to }) => from.offset <= offset && (to.segment !== segment || offset < to.offset));
}

async function damagesIn(files: Files, segment: number, end: Position): Promise<readonly Damage[]> {
  if (segment < 0) return (await withSegment(files, segment, (file) => scanWhole(file, segment))).damages;
  const size = await withSegment(files, segment, (file) => file.size());
  const until = segment === end.segment ? end : { segment, offset: size };
  return (await scanJournal(files, { from: { segment, offset: 0 }, until })).damages;
}
