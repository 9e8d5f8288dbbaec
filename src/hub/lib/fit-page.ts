/** Limits the records in one answer. */

import { utf8Bytes } from '../../core/lib/json.ts';

export const DEFAULT_PAGE_SIZE = 100;

/** How many of the first records fit into `maxBytes`; at least one if there are any. */
export function countFitting(records: readonly unknown[], maxBytes: number): number {
  let bytes = 0;
  const over = records.findIndex((record) => {
    bytes += utf8Bytes(JSON.stringify(record));
    return bytes > maxBytes;
  });
  return over === -1 ? records.length : Math.max(1, over);
}
