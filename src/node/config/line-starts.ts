/** Where an offset in a text is, as people count: lines and columns from 1. */

import type { Place } from './source.ts';

export function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
}

export function placeAt(starts: readonly number[], offset: number): Place {
  const line = starts.findLastIndex((start) => start <= offset);
  return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
}
