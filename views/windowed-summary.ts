/** windowed_summary: the last `recent_n` lines, and one line that summarizes the rest. */

import type { EarlierLines, View, ViewMessage } from 'parley-hub/core';
import { messageOf } from './lines.ts';
import { flag, parseParams, wholeNumber } from './parts/params.ts';

export const windowedSummary: View = {
  name: 'windowed_summary',
  version: 1,
  parseParams: (params) => parseParams('windowed_summary', params, { recent_n: wholeNumber, named: flag }),
  window({ recent_n }) {
    let left = Number(recent_n);
    return () => left-- > 0;
  },
  show: (shown, earlier, { named }) => [
    ...summaryOf(earlier),
    ...shown.map((line) => messageOf(line, { named: named === true })),
  ],
};

function summaryOf({ count, names }: EarlierLines): readonly ViewMessage[] {
  if (count === 0) return [];
  const messages = count === 1 ? '1 message' : `${count} messages`;
  const content = `Earlier in this session: ${messages} from ${names.join(', ')}.`;
  return [{ role: 'user', content, seq: null, name: null }];
}
