import { describe, expect, it } from 'vitest';
import { isDeep } from '../support/size.ts';
import { mutants } from './mutants.ts';
import { runHistory } from './run-history.ts';

const SEEDS = 500;

/** Seeds that caught a mutant before: the quick run tries them first. */
const KNOWN: Readonly<Record<string, number>> = {
  'accept after close': 12,
  'forget a key': 26,
  'a view that changes its mind': 60,
  'a view that shows the oldest': 36,
  'drop without a word': 24,
};

function seedsFor(name: string): number[] {
  const all = Array.from({ length: SEEDS }, (_, at) => at + 1);
  const known = KNOWN[name];
  return isDeep || known === undefined ? all : [known, ...all];
}

describe('[L1, L2, L3, L4, L5, L6, L8, L9] the simulation finds a hub with a defect', () => {
  it.each(mutants)('$name ($law)', { timeout: 300_000 }, async ({ name, make, law }) => {
    let found: string | null = null;
    for (const seed of seedsFor(name)) {
      if (found !== null) break;
      await runHistory(make(seed)).catch((error: Error) => {
        if (error.message.startsWith(`${law} broken`)) found = `seed ${seed}: ${error.message.split('\n')[0]}`;
      });
    }
    expect(found).toMatch(/^seed \d+: /);
    console.log(found);
  });
});

it('[L3] repeats a history from its seed', async () => {
  const told = async (): Promise<string[]> => {
    const lines: string[] = [];
    await runHistory({ seed: 77, onOperation: (line) => lines.push(line) });
    return lines;
  };
  expect(await told()).toEqual(await told());
});
