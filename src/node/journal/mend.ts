/**
 * Makes the last segment fit to be appended to. Only what follows the newest mark can be unconfirmed: it is cut to whole
 * records and made durable before anyone hears of it, and nothing of what was cut can ever be taken for a later flush.
 */

import type { OpenFile } from './files.ts';
import { MARK_BYTES, writeMark } from '../../store/journal/record.ts';
import type { Scanned } from '../../store/journal/scan.ts';
import { zeros } from './zeros.ts';

export interface Mended {
  /** Where the next flush will begin. */
  readonly end: number;
  readonly lastFlush: number;
  /** Nothing but a mark follows what was confirmed: whatever is damaged before it is no torn write. */
  readonly sealed: boolean;
}

export async function mend(file: OpenFile, segment: number, scanned: Scanned): Promise<Mended> {
  const { lastMark, torn } = scanned;
  const end = scanned.end?.segment === segment ? scanned.end.offset : 0;
  const from = lastMark?.position.segment === segment ? lastMark.position.offset : end;
  // Written again even if it looks whole: after a failed sync the system may show pages that never reached the disk.
  const found = await file.read(from, Math.max(0, end - from));
  await file.write(from, [found, ...zeros(torn?.bytes ?? 0)]);
  await file.sync();
  const lastFlush = lastMark?.flush ?? 0;
  if (scanned.sealed) return { end, lastFlush, sealed: true };
  // Only now: a mark says that all before it is durable.
  const mark = Buffer.alloc(MARK_BYTES);
  writeMark(mark, 0, lastFlush + 1, 0);
  await file.write(end, [mark]);
  await file.sync();
  return { end: end + MARK_BYTES, lastFlush: lastFlush + 1, sealed: true };
}
