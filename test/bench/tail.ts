/** Reading the end of a very long session relative to a short one: by the store, and by the operation. */

import { join } from 'node:path';
import type { Binding } from '../../src/hub/bindings/binding.ts';
import { Arena } from './arena.ts';
import { inAll } from './closed-loop.ts';
import type { Bench, Figure } from './figure.ts';
import { inPairs } from './pairs.ts';

const LONG = 100_000;
const SHORT = 100;
const TAIL = 50;

export const tail: Bench = {
  names: ['tail_100000_vs_100', 'tail_read_log_100000_vs_100'],

  async run({ quick, folder, note }) {
    const arena = await Arena.open(join(folder, 'data'));
    const [alice, bob] = [await arena.join('alice'), await arena.join('bob')];
    note(`tail: filling a session with ${LONG} messages`);
    const [short, long] = [await filled(arena, alice, bob, SHORT), await filled(arena, alice, bob, LONG)];
    const reads = quick ? 100 : 300;
    const timed = async (read: () => Promise<unknown>) => {
      const begin = performance.now();
      for (let i = 0; i < reads; i++) await read();
      return (performance.now() - begin) / reads;
    };
    const byStore = (id: string) => () =>
      timed(() => arena.store.read(id, { from_seq: 1, limit: TAIL, reverse: true }));
    const byOperation = (session_id: string) => () =>
      timed(() => arena.perform(alice, 'read_log', { session_id, limit: TAIL, reverse: true }));
    const pairs = quick ? 11 : 25;
    const stored = await inPairs(pairs, byStore(short), byStore(long));
    const asked = await inPairs(pairs, byOperation(short), byOperation(long));
    await arena.stop();
    return [
      figure('tail_100000_vs_100', 'tail of 50 by the store, session of 100,000 ÷ of 100', stored),
      figure('tail_read_log_100000_vs_100', 'the same by read_log', asked),
    ];
  },
};

async function filled(arena: Arena, by: Binding, other: Binding, length: number): Promise<string> {
  const session = await arena.converse(by, other);
  await inAll(length, 256, () => arena.post(by, session));
  return session;
}

function figure(
  name: string,
  what: string,
  { ours, raw, ratio }: { ours: number; raw: number; ratio: number },
): Figure {
  const measured = `${ours.toFixed(3)} ms`;
  return { name, what, measured, raw: `${raw.toFixed(3)} ms`, value: ratio, must: 1.5, aim: 1.1, better: 'less' };
}
