import { describe, expect, it } from 'vitest';
import { mutants } from './mutants.ts';
import { runHistory } from './run-history.ts';

const SEEDS = 500;

describe('[L1, L2, L5, L6] the simulation bites: it finds a hub whose ports', () => {
  it.each(mutants)('$name', { timeout: 300_000 }, async ({ make }) => {
    let found: string | null = null;
    for (let seed = 1; seed <= SEEDS && found === null; seed++) {
      await runHistory(make(seed)).catch((error: Error) => {
        found = `seed ${seed}: ${error.message.split('\n')[0]}`;
      });
    }
    expect(found).toMatch(/L\d+ broken/);
  });
});

it('[L3] the same seed gives the same history', async () => {
  const told = async (): Promise<string[]> => {
    const lines: string[] = [];
    await runHistory({ seed: 77, onOperation: (line) => lines.push(line) });
    return lines;
  };
  expect(await told()).toEqual(await told());
});
