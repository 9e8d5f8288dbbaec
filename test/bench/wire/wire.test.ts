// The wire bench at its smallest: it runs and measures numbers, whatever their size.

import { expect } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { runWire } from './run-wire.ts';
import { TINY } from './setting.ts';

const ONLY = ['wire_ack_p99_vs_commit', 'wire_p99_beside_bad_peer'];

itDeep(
  '[L1] the wire bench measures a relay and a durable hub over real sockets, with load and bad peers in other processes',
  async () => {
    const notes: string[] = [];
    const figures = await runWire({ sizes: TINY, only: ONLY, profile: null, note: (text) => notes.push(text) });
    expect(figures.map(({ name }) => name)).toEqual(ONLY);
    for (const { value } of figures) expect(value).toSatisfy((ratio: number) => Number.isFinite(ratio) && ratio > 0);
    expect(notes.length).toBeGreaterThan(2);
  },
);
