import { expect, it } from 'vitest';
import { citedIn, citedInQuick, rulesIn } from './citations.ts';

it('reads rules and citations as they are written', () => {
  expect(rulesIn('- **L1** One.\n  - **L2** nested\n- **LC3** Two.\ntext **X1**\n- **L4**: with a colon')).toEqual([
    'L1',
    'LC3',
    'L4',
  ]);
  expect(citedIn(`it('[L1] a', f); test("[L2, LC3] b", f);\nit(\n  \`[L4,L5] c\`, f)`)).toEqual([
    'L1',
    'L2',
    'LC3',
    'L4',
    'L5',
  ]);
  expect(citedIn(`it.each(rows)('[L1] %s', f); property('[L2] holds', f); ['[L3] row', 1]`)).toEqual([
    'L1',
    'L2',
    'L3',
  ]);
  expect(
    citedIn(`// [L1] only a comment\nit('a [L2] later', f); const list = '[L3]'; rows[L4]; it('[] x', f)`),
  ).toEqual([]);
});

it('does not count a deep test for the quick run', () => {
  const source = `itDeep('[L1] a', f); itDeep.each([[1], [2]])('[L2] b %s', f); it('[L3] c', f);`;
  expect(citedIn(source)).toEqual(['L1', 'L2', 'L3']);
  expect(citedInQuick(source)).toEqual(['L3']);
});
