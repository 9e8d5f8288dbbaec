/** Pages of an answer: how many records one takes. */

import { utf8Bytes } from '../../core/lib/json.ts';

/** Records of a page, unless told. */
export const DEFAULT_PAGE_SIZE = 100;

/** How many of these fit into one answer; one always does. */
export function countFitting(records: readonly unknown[], maxBytes: number): number {
  let bytes = 0;
  const over = records.findIndex((record) => {
    bytes += utf8Bytes(JSON.stringify(record));
    return bytes > maxBytes;
  });
  return over === -1 ? records.length : Math.max(1, over);
}
