import type { JsonObject, View, ViewLine } from 'parley-hub/core';
import { describeView, type ViewCheckOptions, viewChecks } from 'parley-hub/testing';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { messageOf } from 'parley-hub/views/lines';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { tokenBudget } from 'parley-hub/views/token-budget';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import { describe, expect, it } from 'vitest';

const badFlags = [{ named: 1 }, { named: null }, { named: 'yes' }];
const inBothForms = (params: JsonObject): JsonObject[] => [
  params,
  { ...params, named: false },
  { ...params, named: true },
];
const noNumbers = (name: string): JsonObject[] => [
  {},
  ...[0, -1, 1.5, '3', null, true, 2 ** 60].map((value) => ({ [name]: value })),
];

describeView(fullTranscript, { params: inBothForms({}), badParams: badFlags });
describeView(sinceMyLastTurn, { params: inBothForms({}), badParams: badFlags });
describeView(windowedSummary, {
  params: [1, 3, 1000].flatMap((recent_n) => inBothForms({ recent_n })),
  badParams: [...noNumbers('recent_n'), ...badFlags.map((flags) => ({ recent_n: 3, ...flags }))],
});
describeView(tokenBudget, {
  params: [1, 50, 100_000].flatMap((max_tokens) => inBothForms({ max_tokens })),
  badParams: [...noNumbers('max_tokens'), ...badFlags.map((flags) => ({ max_tokens: 3, ...flags }))],
});

const plain = (line: ViewLine) => messageOf(line, { named: true });
let readings = 0;
let left = 0;

/** Views with one fault, and the rule that must find it. */
const wrongViews: readonly [rule: string, fault: string, difference: Partial<View>, options?: ViewCheckOptions][] = [
  ['VC1', 'has no version', { version: 0 }],
  ['VC2', 'returns parameters that are not JSON', { parseParams: () => ({ limit: Number.NaN }) }],
  ['VC2', 'counts its parameters up', { parseParams: ({ n = 0 }) => ({ n: Number(n) + 1 }) }],
  ['VC3', 'accepts any parameters', { parseParams: (params) => params }],
  ['VC3', 'accepts invalid parameters', {}, { badParams: [{}] }],
  [
    'VC3',
    'refuses with another error',
    {
      parseParams(params) {
        if (Object.keys(params).length > 0) throw new TypeError('no');
        return params;
      },
    },
  ],
  ['VC4', 'sorts its arguments', { show: (shown) => (shown as ViewLine[]).reverse().reverse().map(plain) }],
  [
    'VC5',
    'remembers how often it was asked',
    { show: (shown) => shown.map((line) => ({ ...plain(line), content: String(readings++) })) },
  ],
  [
    'VC5',
    'has one window for all',
    {
      window() {
        left = 4;
        return () => left-- > 0;
      },
    },
  ],
  ['VC6', 'uses the clock', { window: () => () => Date.now() > 0 }],
  ['VC7', 'returns extra members', { show: (shown) => shown.map((line) => ({ ...plain(line), at: 1 })) }],
  [
    'VC7',
    'gives a role there is none of',
    { show: (shown) => shown.map((line) => ({ ...plain(line), role: 'system' as 'user' })) },
  ],
  ['VC8', 'leaves lines out', { show: (shown) => shown.filter(({ own }) => !own).map(plain) }],
  ['VC8', 'changes the order', { show: (shown) => shown.map(plain).toReversed() }],
  ['VC8', 'shows a line twice', { show: (shown) => [...shown, ...shown.slice(-1)].map(plain) }],
  [
    'VC8',
    'makes everybody the user',
    { show: (shown) => shown.map((line) => ({ ...plain(line), role: 'user' as const })) },
  ],
  ['VC9', 'has a window without an answer', { window: () => () => 1 as unknown as boolean }],
  [
    'VC10',
    'writes texts as they are',
    { show: (shown) => shown.map((line) => ({ ...plain(line), content: line.text })) },
  ],
  [
    'VC10',
    'puts a name before texts as they are',
    { show: (shown) => shown.map((line) => ({ ...plain(line), content: `[${line.name}]: ${line.text}` })) },
  ],
];

describe('the contract suite of views', () => {
  it.each(wrongViews)('[%s] finds a view that %s', (rule, _fault, difference, options = {}) => {
    expect(brokenRules({ ...fullTranscript, ...difference }, options)).toContain(rule);
  });

  it('[VC1] accepts a correct view', () => {
    expect(brokenRules(fullTranscript)).toEqual([]);
  });
});

function brokenRules(view: View, options: ViewCheckOptions = {}): readonly string[] {
  return viewChecks(view, options).flatMap(({ title, run }) => {
    try {
      run();
      return [];
    } catch {
      return [title.slice(1, title.indexOf(']'))];
    }
  });
}
