/** since_my_last_turn: lines of others since the participant's last line. */

import type { View } from 'parley-hub/core';
import { messageOf } from './lines.ts';
import { flag, parseParams } from './parts/params.ts';

export const sinceMyLastTurn: View = {
  name: 'since_my_last_turn',
  version: 1,
  parseParams: (params) => parseParams('since_my_last_turn', params, { named: flag }),
  window: () => (line) => !line.own,
  show: (shown, _earlier, { named }) => shown.map((line) => messageOf(line, { named: named === true })),
};
