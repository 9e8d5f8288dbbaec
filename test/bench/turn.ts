/** The cost of a turn besides the program that answers it: hub, socket, view, prompt and post. */

import { connect, createHub } from 'parley-hub';
import { createCliAdapter, joinHub, runProgram } from 'parley-hub/participants';
import type { Bench } from './figure.ts';

const PROGRAM = { command: '/bin/echo', args: ['done'] } as const;
const ROUNDS = 30;

export const turn: Bench = {
  names: ['turn_overhead_ms'],

  async run({ note }) {
    const hub = await createHub();
    const { url } = await hub.listen({ port: 0 });
    const { token } = await hub.createToken({ grants: ['enrol'] });
    const bob = await joinHub((own) => connect(url, { ...own, token }), {
      name: 'bob',
      agent: createCliAdapter(PROGRAM),
    });
    const alice = await connect(url, { name: 'alice', token });
    note(`turns of a program that exits at once: ${ROUNDS}, each beside a bare run of it`);
    const bare: number[] = [];
    const turns: number[] = [];
    const oneTurn = async (): Promise<void> => {
      const session = await alice.open('consulting', ['bob']);
      const begun = performance.now();
      await session.send('Done?');
      await session.waitFor('msg.text');
      turns.push(performance.now() - begun);
    };
    const oneRun = async (): Promise<void> => {
      const begun = performance.now();
      await runProgram({ tool: 'echo', ...PROGRAM, stdin: 'Done?' });
      bare.push(performance.now() - begun);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await oneRun();
      await oneTurn();
    }
    await bob.close();
    alice.close();
    await hub.stop();
    const [run, all] = [median(bare), median(turns)];
    return [
      {
        name: 'turn_overhead_ms',
        what: `a turn over a socket − the run of its program, medians of ${ROUNDS}`,
        measured: `${all.toFixed(1)} ms`,
        raw: `${run.toFixed(1)} ms`,
        value: all - run,
        unit: 'ms',
        must: null,
        aim: null,
        better: 'less',
      },
    ];
  },
};

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
