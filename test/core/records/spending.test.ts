import fc from 'fast-check';
import type { JsonObject } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { addSpend, type Spend, spendFromData, ZERO_SPEND } from '../../../src/core/records/session/spending.ts';

const spend = (all: readonly JsonObject[]): Spend =>
  all.reduce<Spend>((sum, data) => addSpend(sum, spendFromData(data) ?? ZERO_SPEND), ZERO_SPEND);

describe('spending', () => {
  it('[EX21] sums tokens and costs, and counts unpriced messages', () => {
    const usage = { fresh: 1, cache_read: 20, cache_write: 300, output: 4000 };
    expect(spendFromData({ text: 'hi', usage, cost_usd: 0.25 })).toEqual({ usd: 0.25, tokens: 4321, unpriced: 0 });
    expect(spendFromData({ usage: { output: 7 }, cost_usd: null })).toEqual({ usd: 0, tokens: 7, unpriced: 1 });
    expect(spendFromData({ usage })).toEqual({ usd: 0, tokens: 4321, unpriced: 1 });
    expect(spendFromData({ cost_usd: null })).toEqual({ usd: 0, tokens: 0, unpriced: 1 });
    expect(spendFromData({ text: 'hi' })).toBeNull();
  });

  it('[EX21] is exact where floating point sums are not', () => {
    expect(spend(Array(10).fill({ cost_usd: 0.1 })).usd).toBe(1);
    expect(spend([{ cost_usd: 0.1 }, { cost_usd: 0.2 }]).usd).toBe(0.3);
    expect(spend(Array(1000).fill({ cost_usd: 0.000_000_3 })).usd).toBe(0.0003);
  });

  it.each<JsonObject>([{ usage: 'none', cost_usd: '1' }, { usage: [1, 2], cost_usd: -1 }, { usage: null }])(
    '[EX21] ignores %j in an unchecked type',
    (data) => {
      expect(spendFromData(data)).toBeNull();
    },
  );

  it('[EX21] is exact in billionths for any sum', () => {
    const nanos = fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { maxLength: 40 });
    const property = fc.property(nanos, (amounts) => {
      const exact = amounts.reduce((sum, nano) => sum + BigInt(nano), 0n);
      const { usd } = spend(amounts.map((nano) => ({ cost_usd: nano / 1e9 })));
      expect(BigInt(Math.round(usd * 1e9))).toBe(exact);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('[EX21] stays valid JSON for any reports', () => {
    const anything = fc.record(
      {
        usage: fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('fresh', 'output'), fc.double())),
        cost_usd: fc.oneof(fc.double(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const property = fc.property(fc.array(anything, { maxLength: 20 }), (all) => {
      let sum = ZERO_SPEND;
      for (const data of all) {
        const next = addSpend(sum, spendFromData(data as JsonObject) ?? ZERO_SPEND);
        expect(next.usd >= sum.usd && next.tokens >= sum.tokens && next.unpriced >= sum.unpriced).toBe(true);
        expect(JSON.parse(JSON.stringify(next))).toEqual(next);
        sum = next;
      }
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
