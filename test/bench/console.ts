/** Hub throughput while ten consoles show the list and ten an active session. */

import type { Bench } from './figure.ts';
import { microseconds } from './message-cost.ts';
import { inPairs, median } from './pairs.ts';
import { Worker } from './wire/orders.ts';
import { Rig } from './wire/rigs.ts';
import { perSecond } from './wire/setting.ts';

const SESSIONS = 64;
const IN_FLIGHT = 8 * SESSIONS;
const CONSOLES = { lists: 10, inSession: 10 };
/** Each list is read once per round. Short and many, because the machine's load varies. */
const ROUND_MS = 1_000;

interface Costs {
  readonly alone: number[];
  readonly watched: number[];
}

export const consoles: Bench = {
  names: ['console_throughput', 'console_cost'],

  async run({ quick, folder, note }) {
    const rig = await Rig.start('parley', folder);
    const people = new Worker('console-child', []);
    try {
      const layout = await rig.open({ groups: SESSIONS, parties: 2, rooms: SESSIONS });
      const names = await people.order<string[]>({ do: 'join', port: rig.port, ...CONSOLES });
      await rig.observers(names);
      const costs: Costs = { alone: [], watched: [] };
      /** Posts per second; notes what one costs the hub. */
      const round = async (of: keyof Costs): Promise<number> => {
        const before = await rig.cpu();
        const rate = await rig.closed({ layout, rooms: SESSIONS, ms: ROUND_MS }, IN_FLIGHT);
        costs[of].push(((await rig.cpu()) - before) / 1000 / ((rate * ROUND_MS) / 1000));
        return rate;
      };
      const watched = () => whileLooking(people, () => round('watched'));
      note('consoles: warming up');
      await inPairs(3, () => round('alone'), watched);
      costs.alone.length = 0;
      costs.watched.length = 0;
      note(`consoles: ${CONSOLES.lists} with the list, ${CONSOLES.inSession} in one session`);
      const { ours, raw, ratio } = await inPairs(quick ? 11 : 41, () => round('alone'), watched);
      const [costWatched, costAlone] = [median(costs.watched), median(costs.alone)];
      return [
        {
          name: 'console_throughput',
          what: 'posts/s with ten consoles on the list and ten in one session ÷ with none',
          measured: perSecond(ours),
          raw: perSecond(raw),
          value: ratio,
          must: 0.9,
          aim: 0.95,
          better: 'more',
        },
        {
          name: 'console_cost',
          what: 'processor time of the hub for a post, with these consoles ÷ with none',
          measured: microseconds(costWatched),
          raw: microseconds(costAlone),
          value: costWatched / costAlone,
          must: null,
          aim: null,
          better: 'less',
        },
      ];
    } finally {
      await people.end();
      await rig.end();
    }
  },
};

/** The consoles must have seen something, or nothing was measured. */
async function whileLooking<T>(people: Worker, work: () => Promise<T>): Promise<T> {
  await people.order({ do: 'look' });
  const result = await work();
  const seen = await people.order<Record<'rows' | 'envelopes' | 'states', number>>({ do: 'rest' });
  if (Object.values(seen).includes(0)) throw new Error(`the consoles saw too little: ${JSON.stringify(seen)}`);
  return result;
}
