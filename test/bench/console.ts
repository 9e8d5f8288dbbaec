/** What a hub can do while people look on: ten have the list open, ten one session of those that are talked in. */

import type { Bench } from './figure.ts';
import { inPairs } from './pairs.ts';
import { Worker } from './wire/orders.ts';
import { Rig } from './wire/rig.ts';
import { perSecond } from './wire/setting.ts';

const SESSIONS = 64;
const IN_FLIGHT = 8 * SESSIONS;
const CONSOLES = { lists: 10, inSession: 10 };

export const consoles: Bench = {
  names: ['console_throughput'],

  async run({ quick, folder, note }) {
    const rig = await Rig.start('parley', folder);
    const people = new Worker('console-child', []);
    try {
      const layout = await rig.open({ groups: SESSIONS, parties: 2, rooms: SESSIONS });
      const names = await people.order<string[]>({ do: 'join', port: rig.port, ...CONSOLES });
      await rig.observers(names);
      // Each list is asked for once a second: a round has several of those.
      const talk = { layout, rooms: SESSIONS, ms: quick ? 2_000 : 4_000 };
      const alone = () => rig.closed(talk, IN_FLIGHT);
      const watched = async () => {
        await people.order({ do: 'look' });
        const rate = await rig.closed(talk, IN_FLIGHT);
        const { rows, envelopes } = await people.order<{ rows: number; envelopes: number }>({ do: 'rest' });
        if (rows === 0 || envelopes === 0) throw new Error(`the consoles saw ${rows} rows and ${envelopes} envelopes`);
        note(`consoles: saw ${rows} rows and ${envelopes} envelopes`);
        return rate;
      };
      note('consoles: warming up');
      await inPairs(1, alone, watched);
      note(`consoles: ${CONSOLES.lists} with the list, ${CONSOLES.inSession} in one session`);
      const { ours, raw, ratio } = await inPairs(quick ? 5 : 11, alone, watched);
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
      ];
    } finally {
      await people.end();
      await rig.end();
    }
  },
};
