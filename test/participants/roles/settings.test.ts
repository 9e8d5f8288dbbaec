// Extract settings: common ones, overridden by those of a role.

import type { JsonObject } from 'parley-hub/core';
import { createRole, EXTRACT_STRATEGIES, type ExtractSettings, mergeExtract } from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';
import { byHand, scripted } from './fixtures.ts';

describe('mergeExtract', () => {
  const one: JsonObject = { type: 'object', title: 'one' };
  const other: JsonObject = { type: 'object', required: ['a'] };
  it.each<[string, ExtractSettings | undefined, ExtractSettings | undefined, ExtractSettings]>([
    ['both missing', undefined, undefined, {}],
    ['common only', { corrections: 0 }, undefined, { corrections: 0 }],
    ['own only', undefined, { instruct: false }, { instruct: false }],
    ['different fields', { corrections: 0 }, { instruct: false }, { corrections: 0, instruct: false }],
    ['own fields win', { corrections: 0, instruct: false }, { corrections: 1 }, { corrections: 1, instruct: false }],
    ['undefined is ignored', { corrections: 0 }, { corrections: undefined }, { corrections: 0 }],
    [
      'false and 0 are values',
      { instruct: true, corrections: 1 },
      { instruct: false, corrections: 0 },
      { instruct: false, corrections: 0 },
    ],
    ['lists are replaced', { strategies: ['answer', 'model'] }, { strategies: ['tool'] }, { strategies: ['tool'] }],
    ['JSON Schemas are replaced', { jsonSchema: one }, { jsonSchema: other }, { jsonSchema: other }],
  ])('[RL7] %s', (_what, all, own, merged) => {
    expect(mergeExtract(all, own)).toEqual(merged);
  });

  it('[RL7] changes neither argument', () => {
    const all: ExtractSettings = Object.freeze({ corrections: 0 });
    const own: ExtractSettings = Object.freeze({ instruct: false });
    mergeExtract(all, own);
    expect([all, own]).toEqual([{ corrections: 0 }, { instruct: false }]);
  });

  it('[RL7] merges settings of a config file, where a model is a name', () => {
    const all = { provider: 'dashscope', model: 'qwen-plus' };
    const merged = mergeExtract<Partial<typeof all>>(all, { model: 'qwen-max' });
    expect(merged).toEqual({ provider: 'dashscope', model: 'qwen-max' });
  });
});

describe('wrong options of a role are reported on creation', () => {
  const { agent } = scripted();
  const make =
    (...options: readonly unknown[]) =>
    (): unknown =>
      Reflect.apply(createRole, undefined, options);
  it.each([
    ['adapter: expected an agent, such as claudeAdapter, got nothing', [undefined, 'p', byHand]],
    ['prompt: expected text, got 5', [agent, 5, byHand]],
    ['schema: expected a Standard Schema, such as one of zod, got', [agent, 'p', { type: 'object' }]],
    ['extract.strategies: expected a list of answer, schema, tool, model', [agent, 'p', byHand, { strategies: [] }]],
    [
      'extract.strategies: expected answer, schema, tool, model, got "guess"',
      [agent, 'p', byHand, { strategies: ['guess'] }],
    ],
    ['extract.model: expected a model client, got "qwen"', [agent, 'p', byHand, { model: 'qwen' }]],
    ['extract.jsonSchema: expected a JSON Schema, got null', [agent, 'p', byHand, { jsonSchema: null }]],
    ['extract.instruct: expected true or false, got "no"', [agent, 'p', byHand, { instruct: 'no' }]],
    ['extract.corrections: expected 0 or 1, got 2', [agent, 'p', byHand, { corrections: 2 }]],
    [
      'extract.retry: expected one of strategies, model, jsonSchema, instruct, corrections, got',
      [agent, 'p', byHand, { retry: 1 }],
    ],
  ])('[RL1] %s', (message, given) => {
    expect(make(...given)).toThrow(message);
  });

  it('[RL3] rejects a role without an available strategy', () => {
    expect(make(agent, 'p', byHand, { strategies: ['schema', 'model'] })).toThrow(
      'extract.strategies: none is available: schema: the agent is not a model; model: no second model is set (extract.model)',
    );
  });

  it('[RL3] there are four strategies, in this order', () => {
    expect(Object.keys(EXTRACT_STRATEGIES)).toEqual(['answer', 'schema', 'tool', 'model']);
  });
});
