/** no_progress: detects participants that repeat a text or a short loop of texts. Fires once per run of repetitions. */

import { type AcceptEvaluator, digestText, type Json, type JsonObject, nameOf, renderText } from 'parley-hub/core';
import { normalText, takesTurn } from './parts/content.ts';
import { checkNumbers } from './parts/params.ts';

/** The longest detected loop, in texts of one participant. */
const LONGEST = 4;

/** A participant's last texts, newest first, and for each loop length how many texts in a row matched the loop before. */
interface Said {
  readonly last: readonly string[];
  readonly runs: readonly number[];
}

const NOTHING: Said = { last: [], runs: [] };

export const noProgress: AcceptEvaluator = {
  name: 'no_progress',
  version: 1,
  checkParams: (params) => checkNumbers(params, { repeats: { least: 2, most: 1000 } }),
  fold(tally, { envelope }) {
    if (!takesTurn(envelope)) return tally;
    const before = saidBy(tally, envelope.sender_id);
    const digest = digestText(normalText(renderText(envelope)));
    const runs = Array.from({ length: LONGEST }, (_, i) => (before.last[i] === digest ? (before.runs[i] ?? 0) + 1 : 0));
    const last = [digest, ...before.last.slice(0, LONGEST - 1)];
    return { ...(tally as JsonObject | null), [envelope.sender_id]: { last, runs } };
  },
  violators: ({ envelope, tally, params }) =>
    takesTurn(envelope) && loopIn(saidBy(tally, envelope.sender_id), params) !== null ? [envelope.sender_id] : [],
  describe(_violators, { envelope, metadata, tally, params }) {
    const texts = loopIn(saidBy(tally, envelope.sender_id), params) ?? 1;
    const what = texts === 1 ? 'the same' : `the same ${texts} texts`;
    return `${nameOf(metadata, envelope.sender_id)} has said ${what} ${String(params.repeats)} times in a row`;
  },
};

/** The length of a loop that this text completes the required number of times; null if already reported, or part of a shorter loop. */
function loopIn({ runs }: Said, { repeats }: JsonObject): number | null {
  const enough = (texts: number) => texts * (Number(repeats) - 1);
  const shortest = runs.findIndex((run, i) => run >= enough(i + 1));
  return shortest !== -1 && runs[shortest] === enough(shortest + 1) ? shortest + 1 : null;
}

function saidBy(tally: Json | null, agentId: string): Said {
  return (tally as unknown as Readonly<Record<string, Said>> | null)?.[agentId] ?? NOTHING;
}
