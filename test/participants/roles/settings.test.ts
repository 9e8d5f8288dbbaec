// Settings of extraction: for all roles, and over them those of one.

import type { JsonObject } from 'parley-hub/core';
import { createRole, EXTRACT_STRATEGIES, type ExtractSettings, mergeExtract } from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';
import { byHand, scripted } from './fixtures.ts';

describe('mergeExtract', () => {
  const one: JsonObject = { type: 'object', title: 'one' };
  const other: JsonObject = { type: 'object', required: ['a'] };
  it.each<[string, ExtractSettings | undefined, ExtractSettings | undefined, ExtractSettings]>([
    ['nothing and nothing', undefined, undefined, {}],
    ['only those for all', { corrections: 0 }, undefined, { corrections: 0 }],
    ['only its own', undefined, { instruct: false }, { instruct: false }],
    ['different fields side by side', { corrections: 0 }, { instruct: false }, { corrections: 0, instruct: false }],
    [
      'its own field wins',
      { corrections: 0, instruct: false },
      { corrections: 1 },
      { corrections: 1, instruct: false },
    ],
    ['undefined says nothing', { corrections: 0 }, { corrections: undefined }, { corrections: 0 }],
    [
      'false and 0 say something',
      { instruct: true, corrections: 1 },
      { instruct: false, corrections: 0 },
      { instruct: false, corrections: 0 },
    ],
    [
      'a list is one field, and not added to',
      { strategies: ['answer', 'model'] },
      { strategies: ['tool'] },
      { strategies: ['tool'] },
    ],
    ['so is a JSON Schema', { jsonSchema: one }, { jsonSchema: other }, { jsonSchema: other }],
  ])('[RL7] %s', (_what, all, own, merged) => {
    expect(mergeExtract(all, own)).toEqual(merged);
  });

  it('[RL7] changes neither of the two', () => {
    const all: ExtractSettings = Object.freeze({ corrections: 0 });
    const own: ExtractSettings = Object.freeze({ instruct: false });
    mergeExtract(all, own);
    expect([all, own]).toEqual([{ corrections: 0 }, { instruct: false }]);
  });

  it('[RL7] is for the settings of a file as well, where a model is still a name', () => {
    const all = { provider: 'dashscope', model: 'qwen-plus' };
    expect(mergeExtract<Partial<typeof all>>(all, { model: 'qwen-max' })).toEqual({
      provider: 'dashscope',
      model: 'qwen-max',
    });
  });
});

describe('what is wrong with a role is said when it is made', () => {
  const { agent } = scripted();
  const make =
    (...given: readonly unknown[]) =>
    () =>
      Reflect.apply(createRole, undefined, given);
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

  it('[RL3] none of its ways is open: it could never answer', () => {
    expect(make(agent, 'p', byHand, { strategies: ['schema', 'model'] })).toThrow(
      'extract.strategies: none is available: schema: the agent is not a model; model: no second model is set (extract.model)',
    );
  });

  it('[RL3] there are four ways, in this order', () => {
    expect(Object.keys(EXTRACT_STRATEGIES)).toEqual(['answer', 'schema', 'tool', 'model']);
  });
});
