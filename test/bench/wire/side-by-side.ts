/** Everything measured on servers side by side. */

import { BAD_PEER_NAMES, badPeer } from './bad-peer.ts';
import { LATENCY_NAMES, latency } from './latency.ts';
import { KINDS, type Kind } from './rig.ts';
import { Rigs } from './rigs.ts';
import type { WireBench } from './setting.ts';
import { THROUGHPUT_NAMES, throughput } from './throughput.ts';

const PARTS: readonly (WireBenchPart & { readonly kinds: readonly Kind[] })[] = [
  { names: THROUGHPUT_NAMES, kinds: KINDS, run: throughput },
  { names: LATENCY_NAMES, kinds: ['commit', 'parley'], run: latency },
  { names: BAD_PEER_NAMES, kinds: ['parley'], run: badPeer },
];

interface WireBenchPart {
  readonly names: readonly string[];
  run(rigs: Rigs, ...rest: Parameters<WireBench['run']>): ReturnType<WireBench['run']>;
}

export const sideBySide: WireBench = {
  names: PARTS.flatMap(({ names }) => names),

  async run(setting) {
    const wanted = PARTS.filter(({ names }) => names.some(setting.wants));
    const kinds = KINDS.filter((kind) => wanted.some((part) => part.kinds.includes(kind)));
    return Rigs.using(kinds, setting, async (rigs) => {
      const figures = [];
      for (const { run } of wanted) figures.push(...(await run(rigs, setting)));
      return figures;
    });
  },
};
