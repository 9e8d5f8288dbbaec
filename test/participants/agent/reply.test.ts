import { createScriptAdapter, type ThreadContext } from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';
import { isAgentError } from '../../../src/participants/agent/agent-error.ts';
import { asReply, routeNames, toContent } from '../../../src/participants/agent/reply.ts';
import { Stage } from '../stage.ts';
import { watchedTurn } from '../watched-turn.ts';

describe('[PA3] an answer', () => {
  it.each([
    [undefined, 'expected text or {text}, got nothing'],
    [null, 'expected text or {text}, got null'],
    [7, 'expected text or {text}, got 7'],
    [['a'], 'expected text or {text}, got an array of 1'],
    [{}, 'text: expected text, got nothing'],
    [{ text: null }, 'text: expected text, got null'],
    [{ text: 'a', usage: null }, 'usage: expected an object, got null'],
    [{ text: 'a', usage: { input_tokens: 'many' } }, 'usage.input_tokens: expected a number >= 0 or null, got "many"'],
    [{ text: 'a', usage: { output_tokens: -1 } }, 'usage.output_tokens: expected a number >= 0 or null, got -1'],
    [{ text: 'a', cost_usd: Number.NaN }, 'cost_usd: expected a number >= 0 or null, got NaN'],
    [{ text: 'a', native_session_id: null }, 'native_session_id: expected text, got null'],
    [{ text: 'a', tool_calls: null }, 'tool_calls: expected a list of {name, arguments}, got null'],
    [{ text: 'a', tool_calls: [null] }, 'tool_calls.0: expected {name, arguments}, got null'],
    [{ text: 'a', tool_calls: [{ name: 'x' }, {}] }, 'tool_calls.1.name: expected text, got nothing'],
    [{ text: 'a', meta: null }, 'meta: expected an object, got null'],
  ])('rejects %o', (answer, problem) => {
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

  it('accepts text or a reply; undefined fields count as missing', () => {
    expect(asReply('a')).toEqual({ text: 'a' });
    const usage = { input_tokens: 1, cache_read_tokens: null };
    const reply = { text: 'a', usage, cost_usd: null, native_session_id: undefined, tool_calls: [], meta: {} };
    expect(asReply(reply)).toBe(reply);
  });
});

it('[PA10] uses the last of several calls that pass the turn on', () => {
  const to = (name: string) => ({ name: 'handoff', arguments: { to: name } });
  const content = toContent({ text: 'hm', tool_calls: [to('bob'), to('carol')] }, routeNames([]));
  expect(JSON.stringify(content)).toContain('carol');
  expect(JSON.stringify(content)).not.toContain('bob');
});

const start = { role: 'user', content: 'why?', meta: {}, timestamp: '2026-01-01T00:00:00Z' };

/** A thread with `own` own answers in view. */
const thread = (own: number, threadId = 's1'): ThreadContext => ({
  threadId,
  start,
  steps: Array.from({ length: own }, () => ({ ...start, role: 'assistant' })),
});

const turn = (idempotencyKey: string) => watchedTurn({ idempotencyKey });

describe('[PA11] a list of answers', () => {
  it('repeats the answer of a retried turn, then continues', async () => {
    const agent = createScriptAdapter(['one', 'two', 'three']);
    expect(await agent(thread(0), '', turn('k1'))).toBe('one');
    expect(await agent(thread(0), '', turn('k1'))).toBe('one');
    expect(await agent(thread(1), '', turn('k2'))).toBe('two');
    expect(await agent(thread(1), '', turn('k2'))).toBe('two');
    expect(await agent(thread(2), '', turn('k3'))).toBe('three');
    await expect(agent(thread(3), '', turn('k4'))).rejects.toThrow('script: all 3 answers of this session are used up');
  });

  it('continues where the view shows none, or more than were given here', async () => {
    const agent = createScriptAdapter(['one', 'two', 'three', 'four']);
    expect(await agent(thread(0), '', turn('k1'))).toBe('one');
    expect(await agent(thread(0), '', turn('k2'))).toBe('two');
    expect(await agent(thread(3), '', turn('k3'))).toBe('four');
    expect(await agent(thread(0, 's2'), '', turn('k4'))).toBe('one');
  });

  it('counts calls without a turn, and streams each answer', async () => {
    const agent = createScriptAdapter(['one', { text: 'two' }]);
    expect(await agent(thread(0), '')).toBe('one');
    const second = turn('k1');
    expect(await agent(thread(0), '', second)).toEqual({ text: 'two' });
    expect(second.deltas).toEqual(['two']);
  });

  it.each([
    [[null], 'script.0: expected text or a reply {text}, got null'],
    [['one', { text: null }], 'script.1: expected text or a reply {text}, got an object with text'],
    [[7], 'script.0: expected text or a reply {text}, got 7'],
  ])('rejects an invalid answer: %o', (script, problem) => {
    expect(() => createScriptAdapter(script as never)).toThrow(problem);
  });
});

it('[PA11] answers a rejected turn with the same line when it is retried', async () => {
  const stage = await Stage.start();
  const agent = createScriptAdapter(['x'.repeat(2_000_000), 'never']);
  const alice = await stage.client('alice');
  const run = await stage.join('bob', agent);
  const session = await stage.done(alice.open('consulting', ['bob']));
  await stage.done(session.send('why?'));
  await stage.until(() => stage.told.some((line) => line.startsWith('bob failed')), 'the failure');
  await stage.done(run.close());
  await stage.join('bob', agent);
  await stage.until(() => stage.told.filter((line) => line.startsWith('bob failed')).length === 2, 'the same again');
  expect(await stage.texts(session)).toEqual(['why?']);
});
