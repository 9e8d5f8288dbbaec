// What a model may be made with, and what is refused by its name.

import { createChatClient, createLlmAdapter, createResponsesAdapter } from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';

const fine = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' };

describe('[MD17] the settings of a model', () => {
  it.each<readonly [object, string]>([
    [{ timeout: 5 }, 'timeout: there is no such setting; did you mean timeoutMs?'],
    [{ max_tokens: 5 }, 'max_tokens: there is no such setting; did you mean maxTokens?'],
    [{ colour: 5 }, 'colour: there is no such setting; there are baseUrl, apiKey, model, provider, '],
    [{ maxTokens: -1 }, 'maxTokens: expected a whole number from 1 on, got -1'],
    [{ maxTokens: 1.5 }, 'maxTokens: expected a whole number from 1 on, got 1.5'],
    [{ temperature: '1' }, 'temperature: expected a number from 0 on, got "1"'],
    [{ stream: 'no' }, 'stream: expected true or false, got "no"'],
    [{ timeoutMs: 0 }, 'timeoutMs: expected milliseconds, more than 0, got 0'],
    [{ totalMs: Number.NaN }, 'totalMs: expected milliseconds, more than 0, got NaN'],
    [{ maxRetries: -1 }, 'maxRetries: expected a whole number from 0 on, got -1'],
    [{ maxRounds: 0 }, 'maxRounds: expected a whole number from 1 on, got 0'],
    [{ headers: ['a'] }, 'headers: expected an object'],
    [{ body: 'x' }, 'body: expected an object, got "x"'],
    [{ provider: 7 }, 'provider: expected text, got 7'],
    [{ prices: { as_of: 'soon', prices: [] } }, 'prices.as_of: expected a day such as 2026-10-07, got "soon"'],
  ])('%j is refused by name', (setting, problem) => {
    for (const create of [createLlmAdapter, createChatClient, createResponsesAdapter]) {
      expect(() => create({ ...fine, ...setting })).toThrow(problem);
    }
  });

  it('a secret that is in the wrong place is not shown', () => {
    const wrong = { ...fine, apiKey: 7, headers: 'sk-very-secret' } as unknown as typeof fine;
    expect(() => createLlmAdapter(wrong)).toThrow(/^apiKey: expected text$/);
    expect(() => createLlmAdapter({ ...wrong, ...{ apiKey: '' } })).toThrow(/^headers: expected an object$/);
  });

  it('what is undefined is as if it were not there', () => {
    expect(typeof createLlmAdapter({ ...fine, maxTokens: undefined, headers: undefined })).toBe('function');
  });
});
