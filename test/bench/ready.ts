/** How soon a hub with very many live sessions answers its first post, relative to reading its journal. */

import { dataFolder } from './data-folder.ts';
import type { Bench } from './figure.ts';
import { inChild } from './in-child.ts';
import { inPairs } from './pairs.ts';

interface Ready {
  readonly ms: number;
  readonly heapBytes: number;
}

export const ready: Bench = {
  names: ['ready_100k', 'ready_10k'],

  async run({ quick, note }) {
    const sessions = quick ? 10_000 : 100_000;
    const { folder, sessionId, agentName } = await dataFolder(sessions, note);
    let heapBytes = 0;
    const { ours, raw, ratio } = await inPairs(
      quick ? 5 : 7,
      async () => (await inChild<{ ms: number }>('read-child', [folder])).ms,
      async () => {
        const opened = await inChild<Ready>('ready-child', [folder, sessionId, agentName]);
        heapBytes = opened.heapBytes;
        return opened.ms;
      },
    );
    const heap = `${(heapBytes / 2 ** 20).toFixed(0)} MiB heap`;
    return [
      {
        // Only the large folder has a limit: in a small one the fixed cost of a start dominates.
        name: quick ? 'ready_10k' : 'ready_100k',
        what: `open to first ack, ${sessions.toLocaleString('en')} sessions of 10 ÷ reading the journal`,
        measured: `${ours.toFixed(0)} ms, ${heap}`,
        raw: `${raw.toFixed(0)} ms`,
        value: ratio,
        must: quick ? null : 1,
        aim: quick ? null : 0.3,
        better: 'less',
      },
    ];
  },
};
