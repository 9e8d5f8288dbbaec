// Token usage in disjoint classes, and its cost.

import fc from 'fast-check';
import type { Json } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import {
  addUsage,
  costOf,
  KNOWN_PRICES,
  type ModelUsage,
  type PriceList,
  priceWarning,
  readPrices,
  UNKNOWN_USAGE,
  withPrices,
} from '../../../src/participants/models/index.ts';
import { anthropicUsage, openAiUsage } from '../../../src/participants/models/usage/usage.ts';
import { anthropic, chat } from './apis.ts';
import { scene } from './scene.ts';
import { cut, frame, stream } from './stub-model.ts';

const MILLION = 1_000_000;
const at = (day: string): number => Date.parse(`${day}T12:00:00Z`);
const NOW = at('2026-11-01');
const used = (tokens: Partial<ModelUsage>): ModelUsage => ({
  ...UNKNOWN_USAGE,
  input_tokens: 0,
  output_tokens: 0,
  ...tokens,
});

describe('[MD13] usage', () => {
  it('is already disjoint for Anthropic', () => {
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
      cache_read_input_tokens: 900,
      output_tokens: 50,
      service_tier: 'standard',
    };
    expect(anthropicUsage(usage)).toEqual({
      input_tokens: 100,
      cache_read_tokens: 900,
      cache_write_tokens: 40,
      cache_write_1h_tokens: 10,
      output_tokens: 50,
      reasoning_tokens: null,
      terms: [],
    });
  });

  it.each(['prompt completion', 'input output'])('is made disjoint for OpenAI: %s', (names) => {
    const [input, output] = names.split(' ');
    const usage = {
      [`${input}_tokens`]: 1000,
      [`${output}_tokens`]: 50,
      [`${input}_tokens_details`]: { cached_tokens: 900 },
      [`${output}_tokens_details`]: { reasoning_tokens: 20 },
    };
    expect(openAiUsage(usage, 'default')).toEqual({
      input_tokens: 100,
      cache_read_tokens: 900,
      cache_write_tokens: null,
      cache_write_1h_tokens: null,
      output_tokens: 50,
      reasoning_tokens: 20,
      terms: [],
    });
  });

  it('includes cache writes of OpenAI; counts are never below 0', () => {
    const details = { cached_tokens: 600, cache_write_tokens: 300 };
    const told = { prompt_tokens: 1000, completion_tokens: 1, prompt_tokens_details: details };
    const expected = { input_tokens: 100, cache_read_tokens: 600, cache_write_tokens: 300 };
    expect(openAiUsage(told, null)).toMatchObject(expected);
    expect(openAiUsage({ ...told, prompt_tokens: 5 }, null)).toMatchObject({ input_tokens: 0 });
  });

  it('is unknown or >= 0 for invalid counts', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.integer(), fc.double());
    const sums = ['prompt_tokens', 'completion_tokens', 'input_tokens'];
    const key = fc.constantFrom(...sums, 'cached_tokens', 'prompt_tokens_details');
    fc.assert(
      fc.property(fc.dictionary(key, odd), (given) => {
        const usage = JSON.parse(JSON.stringify(given));
        for (const count of Object.values({ ...openAiUsage(usage, null), ...anthropicUsage(usage), terms: 0 })) {
          expect(count === null || (Number.isSafeInteger(count) && Number(count) >= 0)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('adds up several attempts, with their cost', async () => {
    const broken = anthropic.says('Half').slice(0, 3);
    const { ask } = await scene(anthropic, [cut(...broken), stream(...anthropic.says('Yes.'))], {
      model: 'claude-sonnet-4-5',
    });
    const reply = await ask();
    expect(reply.usage).toMatchObject({ input_tokens: 20, output_tokens: 6 });
    expect(reply.cost_usd).toBe((20 * 3 + 6 * 15) / MILLION);
    const one = used({ input_tokens: 1 });
    expect(addUsage(one, { ...one, output_tokens: null })).toMatchObject({ input_tokens: 2, output_tokens: null });
  });

  it('is in the error of a failed call', async () => {
    const { fails } = await scene(anthropic, [cut(...anthropic.says('Half').slice(0, 3))], {
      model: 'claude-haiku-4-5',
      maxRetries: 0,
    });
    const { call } = (await fails()).details;
    expect(call).toMatchObject({ usage: { input_tokens: 10, output_tokens: 1 }, cost_usd: (10 + 5) / MILLION });
  });
});

describe('[MD14] the cost', () => {
  it.each([
    ['claude-sonnet-4-5', { input_tokens: MILLION }, 3],
    ['claude-sonnet-4-5-20250929', { output_tokens: MILLION }, 15],
    ['claude-opus-5-5', { cache_read_tokens: MILLION }, 0.2],
    ['claude-opus-4-8', { cache_write_tokens: MILLION }, 6.25],
    ['claude-opus-4-8', { cache_write_tokens: MILLION, cache_write_1h_tokens: MILLION }, 10],
    ['claude-haiku-5-5', { input_tokens: 100_000, output_tokens: MILLION }, 0.51],
    ['claude-haiku-5-5', { input_tokens: 50_001, cache_read_tokens: 50_000, output_tokens: MILLION }, 2.5275005],
    ['gpt-4o-mini-2024-07-18', { input_tokens: MILLION, output_tokens: MILLION }, 0.75],
    ['gpt-6-sol', { input_tokens: 272_000, output_tokens: 1000 }, 0.554],
    ['gpt-6-sol', { input_tokens: 272_001, output_tokens: 1000 }, 1.103004],
    [
      'gpt-5.4-2026-03-05',
      { input_tokens: 1000, cache_read_tokens: 1000, output_tokens: 1000, reasoning_tokens: 900 },
      0.01775,
    ],
  ])('of %s with %o is $%d', (model, tokens, usd) => {
    expect(costOf(used(tokens), model, NOW)).toBe(usd);
  });

  it('can be computed from a reply, which has no terms', () => {
    const { cache_write_1h_tokens: _hour, terms: _terms, ...told } = used({ input_tokens: MILLION });
    expect(costOf(told, 'gpt-5.4', NOW)).toBe(5);
  });

  it('changes with the day', () => {
    const tokens = used({ input_tokens: MILLION });
    const last = Date.parse('2026-12-31T23:59:59.999Z');
    expect(costOf(tokens, 'gemini-3.8-flash', last)).toBe(0.75);
    expect(costOf(tokens, 'gemini-3.8-flash', last + 1)).toBe(1.5);
  });

  it.each([
    ['of an unknown model', 'gpt-9', {}],
    ['of a model with a longer name', 'claude-opus-5-5-turbo', {}],
    ['of a reseller', 'anthropic/claude-opus-5-5', {}],
    ['with unknown input', 'gpt-5.5', { input_tokens: null }],
    ['with unknown output', 'gpt-5.5', { output_tokens: null }],
    ['with a class of unknown price', 'gpt-6.1-sol', { cache_write_tokens: 1 }],
    ['on terms without a price', 'gpt-5.5', { terms: ['service_tier=priority'] }],
  ])('%s is null, not 0', (_, model, tokens) => {
    expect(costOf(used(tokens), model, NOW)).toBeNull();
  });

  it('depends on the terms', async () => {
    const flex = openAiUsage({ prompt_tokens: MILLION, completion_tokens: 0 }, 'flex');
    // Above 272,000 tokens.
    expect(costOf(flex, 'gpt-5.5', NOW)).toBe(5);
    const us = anthropicUsage({ input_tokens: MILLION, output_tokens: 0, inference_geo: 'us', service_tier: 'batch' });
    expect(costOf(us, 'claude-opus-5', NOW)).toBe(2.75);
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const said = [
      frame({ service_tier: 'flex', choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }], usage }),
      frame('[DONE]'),
    ];
    const { ask } = await scene(chat, [stream(...said)], { model: 'gpt-5.4' });
    expect((await ask()).cost_usd).toBe((10 * 2.5 + 5 * 15) / 2 / MILLION);
  });

  it('is never below 0 and grows with every class', () => {
    const model = fc.constantFrom(
      ...KNOWN_PRICES.prices
        .filter(({ tiers }) => tiers.every(({ cache_read }) => cache_read !== undefined))
        .flatMap(({ models }) => models),
    );
    const count = fc.nat({ max: 50_000 });
    const keys = ['input_tokens', 'cache_read_tokens', 'output_tokens'] as const;
    fc.assert(
      fc.property(model, count, count, count, fc.constantFrom(...keys), (name, input, cached, output, key) => {
        const usage = used({ input_tokens: input, cache_read_tokens: cached, output_tokens: output });
        const cost = costOf(usage, name, NOW);
        const more = costOf({ ...usage, [key]: (usage[key] ?? 0) + 1000 }, name, NOW);
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(more).toBeGreaterThan(cost ?? Number.NaN);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('[MD15] the list of prices', () => {
  const own: PriceList = {
    as_of: '2026-11-01',
    prices: [{ models: ['gpt-5.5', 'local'], tiers: [{ above: 0, input: 0, output: 0 }] }],
  };

  it('has a day, and can be overridden per model', async () => {
    expect(KNOWN_PRICES.as_of).toMatch(/^2026-\d\d-\d\d$/);
    const both = withPrices(own);
    const tokens = used({ input_tokens: MILLION });
    expect(costOf(tokens, 'gpt-5.5', NOW, both)).toBe(0);
    expect(costOf(tokens, 'local', NOW, both)).toBe(0);
    expect(costOf(tokens, 'claude-opus-5', NOW, both)).toBe(5);
    expect(both.as_of).toBe(KNOWN_PRICES.as_of);
    const { ask } = await scene(chat, [stream(...chat.says('Yes.'))], { model: 'local', prices: own });
    expect((await ask()).cost_usd).toBe(0);
  });

  it('warns when it is more than 180 days old', () => {
    const list = { ...own, as_of: '2026-10-07' };
    expect(priceWarning(list, at('2027-04-05'))).toBeNull();
    expect(priceWarning(list, at('2027-04-06'))).toBe(
      'the model prices are from 2026-10-07, 181 days before 2027-04-06: costs may be wrong; use a newer list',
    );
  });

  it('warns once per client, as progress', async () => {
    const { ask, clock, progress } = await scene(chat, [stream(...chat.says('Yes.'))]);
    await ask();
    expect(progress).toEqual([]);
    clock.jump(300 * 86_400_000);
    await ask();
    await ask();
    expect(progress).toEqual([expect.stringContaining('costs may be wrong')]);
  });

  const tier = { above: 0, input: 1, output: 1 };
  const listOf = (price: object): Json => ({ as_of: '2026-01-01', prices: [price] }) as unknown as Json;
  it.each<readonly [Json, string]>([
    [[], 'prices: expected a list'],
    [{ as_of: 'today', prices: [] }, 'as_of: expected a day'],
    [{ as_of: '2026-13-01', prices: [] }, 'as_of: expected a day'],
    [listOf({}), 'prices[0].models: expected names'],
    [listOf({ models: ['m'], tiers: [] }), 'prices[0].tiers: expected a list of tiers'],
    [
      listOf({ models: ['m'], tiers: [{ ...tier, input: -1 }] }),
      'prices[0].tiers[0].input: expected a number >= 0, got -1',
    ],
    [listOf({ models: ['m'], tiers: [{ ...tier, cached: 1 }] }), 'prices[0].tiers[0].cached: expected one of'],
    [listOf({ models: ['m'], effective_from: 'May', tiers: [tier] }), 'prices[0].effective_from'],
    [listOf({ models: ['m'], terms: { x: 'y' }, tiers: [tier] }), 'prices[0].terms.x'],
  ])('rejects a wrong list by position: %j', (list, problem) => {
    expect(() => readPrices(list)).toThrow(problem);
  });
});
