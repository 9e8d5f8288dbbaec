/** The cost of a message in a long session, relative to a short one. */

import { join } from 'node:path';
import { Arena } from './arena.ts';
import { inAll } from './closed-loop.ts';
import type { Bench } from './figure.ts';
import { inPairs } from './pairs.ts';

const LONG = 10_000;
const SHORT = 10;
const OUTSTANDING = 16;

export const messageCost: Bench = {
  names: ['message_cost_10000_vs_10'],

  async run({ quick, folder, note }) {
    const arena = await Arena.open(join(folder, 'data'));
    const [alice, bob] = [await arena.join('alice'), await arena.join('bob')];
    const pairCount = quick ? 11 : 25;
    const messages = quick ? 500 : 1000;
    const filled = async (length: number) => {
      const session = await arena.converse(alice, bob);
      await inAll(length, OUTSTANDING, () => arena.post(alice, session));
      return session;
    };
    note('message cost: filling sessions');
    // New sessions for every pair, so that their lengths stay as named.
    const longOnes: string[] = [];
    for (let i = 0; i < (quick ? 2 : 4); i++) longOnes.push(await filled(LONG));
    const shortOnes: string[] = [];
    for (let i = 0; i < pairCount; i++) shortOnes.push(await filled(SHORT));
    arena.leave(bob);
    let [short, long] = [0, 0];
    const cost = async (session: string | undefined) =>
      (await inAll(messages, OUTSTANDING, () => arena.post(alice, session))) / messages;
    const { ours, raw, ratio } = await inPairs(
      pairCount,
      () => cost(shortOnes[short++]),
      () => cost(longOnes[long++ % longOnes.length]),
    );
    await arena.stop();
    return [
      {
        name: 'message_cost_10000_vs_10',
        what: 'cost of a message in a session of 10,000 ÷ of 10',
        measured: microseconds(ours),
        raw: microseconds(raw),
        value: ratio,
        must: 1.2,
        aim: 1.05,
        better: 'less',
      },
    ];
  },
};

export function microseconds(ms: number): string {
  return `${(ms * 1000).toFixed(1)} µs`;
}
