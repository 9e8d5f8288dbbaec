/** full_transcript: all lines visible to the participant. */

import type { View } from 'parley-hub/core';
import { messageOf } from './lines.ts';
import { flag, parseParams } from './parts/params.ts';

export const fullTranscript: View = {
  name: 'full_transcript',
  version: 1,
  parseParams: (params) => parseParams('full_transcript', params, { named: flag }),
  window: () => () => true,
  show: (shown, _earlier, { named }) => shown.map((line) => messageOf(line, { named: named === true })),
};
