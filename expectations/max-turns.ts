/** max_turns: limits texts and packets. Fires once, for the sender of the last allowed one. */

import { type AcceptEvaluator, nameOf } from 'parley-hub/core';
import { takesTurn } from './parts/content.ts';
import { checkNumbers } from './parts/params.ts';

export const maxTurns: AcceptEvaluator = {
  name: 'max_turns',
  version: 1,
  checkParams: (params) => checkNumbers(params, { turns: { least: 1, most: 1_000_000 } }),
  fold: (turns, { envelope }) => (takesTurn(envelope) ? Number(turns ?? 0) + 1 : turns),
  violators: ({ envelope, tally, params }) =>
    takesTurn(envelope) && tally === params.turns ? [envelope.sender_id] : [],
  describe: (_violators, { envelope, metadata, params }) =>
    `${nameOf(metadata, envelope.sender_id)} took turn ${String(params.turns)} of ${String(params.turns)}`,
};
