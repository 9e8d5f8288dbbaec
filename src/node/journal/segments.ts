/** The files of a journal: one per segment, named by its number, and the spare that becomes the next. */

import type { Files, OpenFile } from './files.ts';

/** The next segment while it is made ready. Nothing but zeros is ever written to a file of this name. */
export const SPARE_NAME = 'spare.journal';

/** What a file is called until it is whole. */
export const PART_SUFFIX = '.part';

const SEGMENT_NAME = /^(\d{8,})\.journal$/;
const ARCHIVE_NAME = /^archive-(\d{8,})\.journal$/;

/** A negative number is a file of the archive. */
export function segmentName(segment: number): string {
  const digits = String(Math.abs(segment)).padStart(8, '0');
  return segment < 0 ? `archive-${digits}.journal` : `${digits}.journal`;
}

/** The numbers of the segments there are, lowest first. */
export function listSegments(files: Files): Promise<readonly number[]> {
  return listNumbers(files, SEGMENT_NAME);
}

/** The numbers of the archive's files, oldest first; they are negative. */
export async function listArchives(files: Files): Promise<readonly number[]> {
  return (await listNumbers(files, ARCHIVE_NAME)).map((number) => -number);
}

async function listNumbers(files: Files, pattern: RegExp): Promise<readonly number[]> {
  const numbers = (await files.list()).flatMap((name) => {
    const [, digits] = pattern.exec(name) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });
  return numbers.sort((a, b) => a - b);
}

/** Opens a segment for as long as `use` takes. */
export async function withSegment<T>(files: Files, segment: number, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await files.open(segmentName(segment));
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
