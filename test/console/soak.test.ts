// The soak of the console says what it found, and takes no wrong arguments; the soak itself is run by `npm run soak:console`.

import { expect, it } from 'vitest';
import { root, run } from '../package/repository.ts';
import { soakFaults } from './soak.ts';

const held = (heapBytes: number, domNodes: number) => ({ heapBytes, domNodes });

it('[UI90] a heap or a DOM that has grown too much is a fault, and says by how much', () => {
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
  // What could not be measured has not held.
  expect(soakFaults(soaked(held(Number.NaN, 100)))).toHaveLength(1);
});

it('[UI90, PK10] wrong arguments are refused with what there is and exit code 2', async () => {
  const args = ['--conditions=parley-source', '--import', 'tsx', 'test/console/soak-cli.ts', '--seconds', 'ten'];
  const { code, output } = await run(process.execPath, args, { cwd: root });
  expect(code).toBe(2);
  expect(output).toContain('--seconds: expected a whole number from 1 on, got "ten"');
  expect(output).toContain('Usage: npm run soak:console');
}, 30_000);
