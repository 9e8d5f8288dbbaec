// The report and the arguments of the soak; `npm run soak:console` runs the soak itself.

import { expect, it } from 'vitest';
import { root, run } from '../package/repository.ts';
import { soakFaults } from './soak.ts';

const held = (heapBytes: number, domNodes: number) => ({ heapBytes, domNodes });

it('[UI90] a heap or DOM that grew too much is reported with its growth', () => {
  const soaked = (after: ReturnType<typeof held>) => ({
    seconds: 1,
    events: 200,
    pages: [{ name: 'list', before: held(1000, 100), after }],
  });
  expect(soakFaults(soaked(held(1200, 105)))).toEqual([]);
  expect(soakFaults(soaked(held(1201, 106)))).toEqual([
    'list: heap: expected at most 1.2 ×, got 1.201 ×',
    'list: DOM nodes: expected at most 1.05 ×, got 1.060 ×',
  ]);
  // A failed measurement is a fault.
  expect(soakFaults(soaked(held(Number.NaN, 100)))).toHaveLength(1);
});

it('[UI90, PK10] wrong arguments print the usage and exit with 2', async () => {
  const args = ['--conditions=parley-source', '--import', 'tsx', 'test/console/soak-cli.ts', '--seconds', 'ten'];
  const { code, output } = await run(process.execPath, args, { cwd: root });
  expect(code).toBe(2);
  expect(output).toContain('--seconds: expected a whole number from 1 on, got "ten"');
  expect(output).toContain('Usage: npm run soak:console');
}, 30_000);
