/** Everything that is measured on the four servers side by side. */

import { BAD_PEER_NAMES, badPeer } from './bad-peer.ts';
import { LATENCY_NAMES, latency } from './latency.ts';
import { startRigs } from './rigs.ts';
import { ending, type WireBench } from './setting.ts';
import { THROUGHPUT_NAMES, throughput } from './throughput.ts';

const PARTS = [
  { names: THROUGHPUT_NAMES, run: throughput },
  { names: LATENCY_NAMES, run: latency },
  { names: BAD_PEER_NAMES, run: badPeer },
];

export const sideBySide: WireBench = {
  names: PARTS.flatMap(({ names }) => names),

  async run(setting) {
    const rigs = await startRigs(setting);
    return ending(Object.values(rigs.by), async () => {
      const figures = [];
      for (const { names, run } of PARTS) {
        if (names.some(setting.wants)) figures.push(...(await run(rigs, setting)));
      }
      return figures;
    });
  },
};
