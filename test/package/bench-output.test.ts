// Output and argument errors of the benches; measurements are not checked here.

import { expect, it } from 'vitest';
import type { Figure } from '../bench/figure.ts';
import { askedOptions, table } from '../bench/figure.ts';

const figure: Figure = {
  name: 'a_vs_b',
  what: 'a ÷ b',
  measured: '4 ms',
  raw: '2 ms',
  value: 2,
  must: 3,
  aim: 1.5,
  better: 'less',
};

it('prints a ratio, or units beside a figure and at its bars', () => {
  const difference = { ...figure, name: 'a_ms', value: 2.345, unit: 'ms', must: null, aim: 1.5 } as const;
  const [heading, ratio, ms, , how] = table([figure, difference]).split('\n');
  expect(heading?.trim().split(/\s{2,}/)).toEqual(['name', 'figure', 'must', 'aim', 'measured', 'raw', 'what']);
  expect(ratio?.trim().split(/\s{2,}/)).toEqual(['✓', 'a_vs_b', '2.00', '≤ 3', '≤ 1.5', '4 ms', '2 ms', 'a ÷ b']);
  expect(ms?.trim().split(/\s{2,}/)).toEqual(['a_ms', '2.35 ms', '–', '≤ 1.5 ms', '4 ms', '2 ms', 'a ÷ b']);
  expect(how).toMatch(/^A figure without a unit is a ratio: /);
});

it('rejects a name without --only and unknown options, and says what to type', () => {
  const known = { only: { type: 'string', multiple: true }, quick: { type: 'boolean' } } as const;
  expect(askedOptions(known, ['--only', 'turn', '--quick'])).toEqual({ values: { only: ['turn'], quick: true } });
  expect(askedOptions(known, ['turn'])).toEqual({
    problem: 'expected options, got "turn": one figure is "--only turn"; "--help" says what there is',
  });
  expect(askedOptions(known, ['--fast'])).toEqual({ problem: expect.stringMatching(/--fast.*"--help" says what/) });
  expect(askedOptions(known, ['--only'])).toEqual({ problem: expect.stringMatching(/--only.*"--help" says what/) });
});
