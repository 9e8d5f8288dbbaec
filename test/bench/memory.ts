/** Memory per session: loaded, evicted, ended. */

import { join } from 'node:path';
import type { Bench, Figure } from './figure.ts';
import { inChild } from './in-child.ts';

interface Bytes {
  readonly loaded: number;
  readonly evicted: number;
  readonly closed: number;
}

const KIB = 1024;

export const memory: Bench = {
  names: ['bytes_evicted', 'bytes_loaded', 'bytes_closed'],

  async run({ quick, folder, note }) {
    const sessions = quick ? 2_000 : 5_000;
    note(`memory: ${sessions} sessions of 10 envelopes`);
    const bytes = await inChild<Bytes>('memory-child', [join(folder, 'data'), String(sessions)], ['--expose-gc']);
    const figure = (name: string, what: string, value: number, must: number, aim: number): Figure => {
      const measured = `${Math.round(value)} bytes`;
      return { name, what, measured, raw: 'a slope', value, unit: 'bytes', must, aim, better: 'less' };
    };
    return [
      figure('bytes_evicted', 'bytes per live session, evicted', bytes.evicted, 2 * KIB, KIB),
      figure('bytes_loaded', 'bytes per live session, loaded and idle', bytes.loaded, 8 * KIB, 4 * KIB),
      // The limit is 0 plus the noise of weighing a heap.
      figure('bytes_closed', 'bytes per session that has ended', bytes.closed, 64, 16),
    ];
  },
};
