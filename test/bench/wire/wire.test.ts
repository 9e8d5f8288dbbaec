// The bench of the wire at its smallest: it runs, and what it measures are numbers. How large they are is no matter of a test.

import { expect, it } from 'vitest';
import { runWire } from './run-wire.ts';
import { TINY } from './setting.ts';

const ONLY = ['wire_64x8_vs_commit', 'wire_ack_p99_vs_commit'];

it('[L1] the bench of the wire measures relays and a durable hub over real sockets', async () => {
  const notes: string[] = [];
  const figures = await runWire({ sizes: TINY, only: ONLY, profile: null, note: (text) => notes.push(text) });
  expect(figures.map(({ name }) => name)).toEqual(ONLY);
  for (const { value } of figures) expect(value).toSatisfy((ratio: number) => Number.isFinite(ratio) && ratio > 0);
  expect(notes.length).toBeGreaterThan(2);
});
