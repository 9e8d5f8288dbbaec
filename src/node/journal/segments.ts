/** The files of a journal: one per segment, named by its number, and the spare that becomes the next. */

import type { Files, OpenFile } from './files.ts';

/** The next segment while it is made ready. Nothing but zeros is ever written to a file of this name. */
export const SPARE_NAME = 'spare.journal';

const SEGMENT_NAME = /^(\d{8,})\.journal$/;

export function segmentName(segment: number): string {
  return `${String(segment).padStart(8, '0')}.journal`;
}

/** The numbers of the segments there are, lowest first. */
export async function listSegments(files: Files): Promise<readonly number[]> {
  const numbers = (await files.list()).flatMap((name) => {
    const [, digits] = SEGMENT_NAME.exec(name) ?? [];
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
