/** What others notice of a peer that does not read and of one that floods. */

import type { Figure } from '../figure.ts';
import { inTurn, median } from '../pairs.ts';
import { saturation, talkOf } from './latency.ts';
import { Worker } from './orders.ts';
import type { Rigs } from './rigs.ts';
import { millis, type WireSetting } from './setting.ts';

export const BAD_PEER_NAMES: readonly string[] = ['wire_p99_beside_bad_peer'];

export async function badPeer(rigs: Rigs, { sizes, note }: WireSetting): Promise<readonly Figure[]> {
  note('bad peers: an open loop at half of saturation, with and without them');
  const talk = talkOf(rigs, sizes);
  const hub = rigs.of('parley');
  const bad = new Worker('bad-peer-child', []);
  const rounds: { readonly without: number; readonly beside: number }[] = [];
  try {
    for (let round = 0; round < sizes.rounds; round++) {
      const rate = (await saturation(rigs, sizes)) / 2;
      const without = async () => (await hub.paced(talk, rate)).p99;
      const beside = async () => {
        await bad.order({ do: 'begin', port: hub.port });
        const { p99 } = await hub.paced(talk, rate);
        await bad.order({ do: 'end' });
        return p99;
      };
      rounds.push(...(await inTurn(1, round % 2 === 0 ? { without, beside } : { beside, without })));
    }
  } finally {
    await bad.end();
  }
  return [
    {
      name: 'wire_p99_beside_bad_peer',
      what: "others' ack p99 beside a peer that does not read and one that floods ÷ without, half of saturation",
      measured: millis(median(rounds.map(({ beside }) => beside))),
      raw: millis(median(rounds.map(({ without }) => without))),
      value: median(rounds.map(({ beside, without }) => beside / without)),
      must: 1.25,
      aim: 1.1,
      better: 'less',
    },
  ];
}
