/** How many sessions there are, in words. Pure. */

import type { SessionList } from '../state/session-list.ts';

/** `shown`: those that the filter lets through. Empty = none was read yet, so that nobody knows. */
export function countWords({ order, next }: Pick<SessionList, 'order' | 'next'>, shown: number): string {
  const number = (count: number): string => count.toLocaleString('en');
  const read = order.length;
  if (next === undefined) return '';
  if (next === null) return shown === read ? number(read) : `${number(shown)} of ${number(read)}`;
  return shown === read ? `the newest ${number(read)}, more below` : `${number(shown)} of the newest ${number(read)}`;
}
