/** The cost of a message in a session with expectations, relative to one without. */

import { join } from 'node:path';
import { Arena } from './arena.ts';
import { inAll } from './closed-loop.ts';
import type { Bench } from './figure.ts';
import { microseconds } from './message-cost.ts';
import { inPairs } from './pairs.ts';

/** Many per flush, so that flushing does not hide the cost. */
const OUTSTANDING = 256;

export const expecting: Bench = {
  names: ['message_cost_expecting'],

  async run({ quick, folder, note }) {
    const arena = await Arena.open(join(folder, 'data'));
    const speakers = [await arena.join('alice'), await arena.join('bob')] as const;
    const messages = quick ? 2_000 : 4_000;
    // Each message moves the turn, and so all expectations. Measures CPU time: waiting is the same on both sides and
    // would hide the difference.
    const cost = async (session: string) => {
      const before = process.cpuUsage();
      await inAll(messages, OUTSTANDING, (i) => arena.post(speakers[i % 2 === 0 ? 0 : 1], session));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / messages;
    };
    const without = async () => cost(await arena.discuss(...speakers, []));
    const armed = async () => cost(await arena.discuss(...speakers));
    note('message cost with expectations: warming up');
    await inPairs(quick ? 3 : 5, without, armed);
    const { ours, raw, ratio } = await inPairs(quick ? 21 : 41, without, armed);
    await arena.stop();
    return [
      {
        name: 'message_cost_expecting',
        what: 'cost of a message with a warning and a hide armed ÷ with nothing expected',
        measured: microseconds(ours),
        raw: microseconds(raw),
        value: ratio,
        must: 1.15,
        aim: 1.05,
        better: 'less',
      },
    ];
  },
};
