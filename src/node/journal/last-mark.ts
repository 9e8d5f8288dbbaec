/** The newest mark before a place, found backwards: a scan that begins in the middle must know which flush it is in. */

import type { Files, OpenFile } from './files.ts';
import type { Position } from '../../store/journal/journal-types.ts';
import { MARK_BYTES, MARK_START, readFrame } from '../../store/journal/record.ts';
import { withSegment } from './segments.ts';

const CHUNK_BYTES = 256 * 1024;

export interface PlacedMark {
  readonly position: Position;
  readonly flush: number;
  readonly extent: number;
}

/** `segments`: those there are, lowest first. */
export async function lastMarkBefore(
  files: Files,
  segments: readonly number[],
  place: Position,
): Promise<PlacedMark | null> {
  for (const segment of segments.filter((number) => number <= place.segment).reverse()) {
    const found = await withSegment(files, segment, async (file) => {
      const size = await file.size();
      return lastMarkIn(segment, file, segment === place.segment ? Math.min(size, place.offset) : size);
    });
    if (found !== null) return found;
  }
  return null;
}

async function lastMarkIn(segment: number, file: OpenFile, end: number): Promise<PlacedMark | null> {
  for (let to = end; to > 0; to -= CHUNK_BYTES) {
    const from = Math.max(0, to - CHUNK_BYTES);
    // A mark may begin in this chunk and end in the one after it.
    const read = await file.read(from, Math.min(to + MARK_BYTES - 1, end) - from);
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    for (
      let at = bytes.lastIndexOf(MARK_START);
      at !== -1;
      at = at === 0 ? -1 : bytes.lastIndexOf(MARK_START, at - 1)
    ) {
      const frame = readFrame(bytes, at);
      if (frame.kind !== 'mark') continue;
      return { position: { segment, offset: from + at }, flush: frame.flush, extent: frame.extent };
    }
  }
  return null;
}
