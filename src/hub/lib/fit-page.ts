/** How many records fit on one page of an answer. */

import { utf8Bytes } from '../../core/lib/json.ts';

export const DEFAULT_PAGE_SIZE = 100;

/** How many of the records fit into one answer; at least one. */
export function countFitting(records: readonly unknown[], maxBytes: number): number {
  let bytes = 0;
  const over = records.findIndex((record) => {
    bytes += utf8Bytes(JSON.stringify(record));
    return bytes > maxBytes;
  });
  return over === -1 ? records.length : Math.max(1, over);
}
