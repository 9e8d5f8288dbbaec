// What an agent answers becomes content of a session, or is refused by the name of the field.

import { describe, expect, it } from 'vitest';
import { isAgentError } from '../../src/participants/agent/agent-error.ts';
import { asReply, contentOf, routeNames } from '../../src/participants/agent/reply.ts';

describe('[PA3] an answer', () => {
  it.each([
    [undefined, 'expected text or {text}, got nothing'],
    [null, 'expected text or {text}, got null'],
    [7, 'expected text or {text}, got 7'],
    [['a'], 'expected text or {text}, got an array of 1'],
    [{}, 'text: expected text, got nothing'],
    [{ text: null }, 'text: expected text, got null'],
    [{ text: 'a', usage: null }, 'usage: expected an object, got null'],
    [
      { text: 'a', usage: { input_tokens: 'many' } },
      'usage.input_tokens: expected a number from 0 on or null, got "many"',
    ],
    [{ text: 'a', usage: { output_tokens: -1 } }, 'usage.output_tokens: expected a number from 0 on or null, got -1'],
    [{ text: 'a', cost_usd: Number.NaN }, 'cost_usd: expected a number from 0 on or null, got NaN'],
    [{ text: 'a', native_session_id: null }, 'native_session_id: expected text, got null'],
    [{ text: 'a', tool_calls: null }, 'tool_calls: expected a list of {name, arguments}, got null'],
    [{ text: 'a', tool_calls: [null] }, 'tool_calls.0: expected {name, arguments}, got null'],
    [{ text: 'a', tool_calls: [{ name: 'x' }, {}] }, 'tool_calls.1.name: expected text, got nothing'],
    [{ text: 'a', meta: null }, 'meta: expected an object, got null'],
  ])('%o is none', (answer, problem) => {
    let thrown: unknown;
    try {
      asReply(answer);
    } catch (error) {
      thrown = error;
    }
    expect(isAgentError(thrown) && [thrown.kind, thrown.message]).toEqual([
      'bad_output',
      `the agent: its answer: ${problem}`,
    ]);
  });

  it('is text, or a reply with what is known of it; what is undefined was not given', () => {
    expect(asReply('a')).toEqual({ text: 'a' });
    const usage = { input_tokens: 1, cache_read_tokens: null };
    const reply = { text: 'a', usage, cost_usd: null, native_session_id: undefined, tool_calls: [], meta: {} };
    expect(asReply(reply)).toBe(reply);
  });
});

it('[PA10] of several calls that pass the turn on the last one counts', () => {
  const to = (name: string) => ({ name: 'handoff', arguments: { to: name } });
  const content = contentOf({ text: 'hm', tool_calls: [to('bob'), to('carol')] }, routeNames([]));
  expect(JSON.stringify(content)).toContain('carol');
  expect(JSON.stringify(content)).not.toContain('bob');
});
