import { createChatClient, createLlmAdapter, createResponsesAdapter } from 'parley-hub/participants';
import { describe, expect, it } from 'vitest';
import type { AgentFn, Step, ThreadContext } from '../../../src/participants/agent/agent-fn.ts';
import { threadMessages } from '../../../src/participants/models/index.ts';
import { createAnthropicAdapter } from '../../../src/participants/node-models.ts';
import { watchedTurn } from '../watched-turn.ts';
import { anthropic, apis, chat, responses } from './apis.ts';
import { scene } from './scene.ts';
import { frame, type StubAnswer, stall, stream } from './stub-model.ts';

const timestamp = '2026-10-20T00:00:00.000Z';
const start = { role: 'user', content: 'Which one?', meta: {}, timestamp };
const ctx: ThreadContext = { threadId: 't1', start, steps: [] };
const step = (role: string, content: string, meta = {}): Step => ({ role, content, meta, timestamp });

describe('[MD1] createLlmAdapter', () => {
  it('makes one chat completion per turn: prompt as system, opening as user', async () => {
    const { stub } = await scene(chat, [stream(...chat.says('The second.'))]);
    const agent: AgentFn = createLlmAdapter({ baseUrl: `${stub.origin}/v1`, apiKey: 'test-key', model: 'gpt-4o-mini' });
    const reply = await agent(ctx, 'You are a planner…');
    expect(stub.asked).toHaveLength(1);
    expect(stub.asked[0]?.headers.authorization).toBe('Bearer test-key');
    expect(stub.asked[0]?.body).toEqual({
      model: 'gpt-4o-mini',
      messages: [
        { role: 'system', content: 'You are a planner…' },
        { role: 'user', content: 'Which one?' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(reply).toMatchObject({
      text: 'The second.',
      cost_usd: 0.0000045,
      usage: { input_tokens: 10, output_tokens: 5 },
    });
  });

  it('fails with an error that names provider and model', async () => {
    const agent = createLlmAdapter({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'test-key', model: 'm', maxRetries: 0 });
    await expect(agent(ctx, '')).rejects.toMatchObject({
      name: 'AgentError',
      kind: 'network',
      message: expect.stringMatching(/^openai\/m: no answer/),
    });
  });

  it('has counterparts for the other APIs', async () => {
    const { stub } = await scene(chat, [stream(...anthropic.says('A.')), stream(...responses.says('B.'))]);
    const a = createAnthropicAdapter({ baseUrl: stub.origin, apiKey: 'test-key', model: 'claude-sonnet-4-5' });
    const b = createResponsesAdapter({ baseUrl: `${stub.origin}/v1`, apiKey: 'test-key', model: 'gpt-5.5' });
    expect(await a(ctx, 'p')).toMatchObject({ text: 'A.', cost_usd: (10 * 3 + 5 * 15) / 1e6 });
    expect(await b(ctx, 'p')).toMatchObject({ text: 'B.', cost_usd: (10 * 5 + 5 * 30) / 1e6 });
    expect(stub.asked.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/responses']);
  });
});

describe.each(apis)('[MD16] an agent over $name', (api) => {
  const agentOn = async (answer: StubAnswer) => {
    const on = await scene(api, [answer]);
    const create = {
      [anthropic.name]: on.models.createAnthropicAdapter,
      [responses.name]: on.models.createResponsesAdapter,
    };
    const make = create[api.name] ?? on.models.createLlmAdapter;
    return { ...on, agent: make({ baseUrl: `${on.stub.origin}${api.base}`, apiKey: 'test-key', model: 'gpt-5.5' }) };
  };

  it('reports the cost of the call', async () => {
    const { agent } = await agentOn(stream(...api.says('Yes.')));
    expect(await agent(ctx, 'p')).toEqual({
      text: 'Yes.',
      usage: expect.objectContaining({ input_tokens: 10, output_tokens: 5 }),
      cost_usd: 0.0002,
      meta: {
        stop: 'end',
        adapter_meta: {
          model: api === anthropic ? 'claude-served' : 'served',
          provider: api === anthropic ? 'anthropic' : 'openai',
          input_tokens: 10,
          output_tokens: 5,
          total_tokens: 15,
          cost_usd: 0.0002,
          latency_ms: 0,
          retries: 0,
        },
      },
    });
  });

  it('streams text, and stops when the turn is cancelled', async () => {
    const { agent, stub } = await agentOn(stall(...api.says('First', ' second').slice(0, -3)));
    const cancel = new AbortController();
    const heard: string[] = [];
    const onDelta = (text: string): void => {
      heard.push(text);
      cancel.abort();
    };
    const turn = watchedTurn({ signal: cancel.signal, onDelta });
    await expect(agent(ctx, 'p', turn)).rejects.toMatchObject({
      kind: 'aborted',
      details: { partial: expect.stringMatching(/^First/) },
    });
    expect(heard).toEqual(['First']);
    await stub.until(() => stub.hungUp === 1);
  });

  it('passes tool calls on', async () => {
    const { agent } = await agentOn(stream(...api.calls('handoff', '{"to":"bob"}')));
    expect(await agent(ctx, 'p')).toMatchObject({
      text: '',
      tool_calls: [{ name: 'handoff', arguments: { to: 'bob' } }],
    });
  });

  it('fails if the model says nothing', async () => {
    const { agent } = await agentOn(stream(...api.says()));
    await expect(agent(ctx, 'p')).rejects.toMatchObject({
      kind: 'no_result',
      details: { call: { class: 'permanent', status: 200, usage: { output_tokens: expect.any(Number) } } },
    });
  });
});

describe('[MD16] a refusal', () => {
  it('is not an answer', async () => {
    const said = [frame({ choices: [{ delta: { refusal: 'I will not.' }, finish_reason: 'stop' }] }), frame('[DONE]')];
    const { models, stub } = await scene(chat, [stream(...said)]);
    const agent = models.createLlmAdapter({ baseUrl: stub.origin, model: 'm' });
    await expect(agent(ctx, 'p')).rejects.toMatchObject({
      kind: 'no_result',
      message: 'openai/m: the model refused: I will not.',
    });
  });
});

describe('[MD1] a thread', () => {
  const user = (content: string) => ({ role: 'user', content });
  const assistant = (content: string) => ({ role: 'assistant', content });

  it.each<[string, readonly Step[], readonly object[]]>([
    [
      'puts steps after the opening',
      [step('assistant', 'A'), step('user', 'B')],
      [user('Which one?'), assistant('A'), user('B')],
    ],
    ['merges consecutive messages of others', [step('user', 'A'), step('bob', 'B')], [user('Which one?\n\nA\n\nB')]],
    [
      'asks the model again after its own message',
      [step('assistant', 'A')],
      [user('Which one?'), assistant('A'), user('It is your turn again.')],
    ],
    ['leaves out empty steps', [step('assistant', ''), step('user', 'B')], [user('Which one?\n\nB')]],
    [
      'shows the opening once',
      [step('user', 'Which one?'), step('assistant', 'A'), step('user', 'B')],
      [user('Which one?'), assistant('A'), user('B')],
    ],
  ])('%s', (_, steps, messages) => {
    expect(threadMessages({ ...ctx, steps })).toEqual(messages);
  });

  it('adds a first message if the model opened the session', () => {
    const own = { ...start, role: 'assistant', meta: { seq: 3 } };
    const steps = [step('assistant', '[me] Which one?', { seq: 3 }), step('user', 'B', { seq: 4 })];
    expect(threadMessages({ ...ctx, start: own, steps })).toEqual([
      user('You have the first word.'),
      assistant('Which one?'),
      user('B'),
    ]);
  });
});

const fine = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' };

describe('[MD17] the settings of a model', () => {
  it.each<readonly [object, string]>([
    [{ timeout: 5 }, 'timeout: unknown setting; did you mean timeoutMs?'],
    [{ max_tokens: 5 }, 'max_tokens: unknown setting; did you mean maxTokens?'],
    [{ colour: 5 }, 'colour: unknown setting; valid settings: baseUrl, apiKey, model, provider, '],
    [{ maxTokens: -1 }, 'maxTokens: expected a whole number >= 1, got -1'],
    [{ maxTokens: 1.5 }, 'maxTokens: expected a whole number >= 1, got 1.5'],
    [{ temperature: '1' }, 'temperature: expected a number >= 0, got "1"'],
    [{ stream: 'no' }, 'stream: expected true or false, got "no"'],
    [{ timeoutMs: 0 }, 'timeoutMs: expected milliseconds > 0, got 0'],
    [{ totalMs: Number.NaN }, 'totalMs: expected milliseconds > 0, got NaN'],
    [{ maxRetries: -1 }, 'maxRetries: expected a whole number >= 0, got -1'],
    [{ maxRounds: 0 }, 'maxRounds: expected a whole number >= 1, got 0'],
    [{ headers: ['a'] }, 'headers: expected an object'],
    [{ body: 'x' }, 'body: expected an object, got "x"'],
    [{ provider: 7 }, 'provider: expected text, got 7'],
    [{ prices: { as_of: 'soon', prices: [] } }, 'prices.as_of: expected a day such as 2026-10-07, got "soon"'],
  ])('rejects %j by name', (setting, problem) => {
    for (const create of [createLlmAdapter, createChatClient, createResponsesAdapter]) {
      expect(() => create({ ...fine, ...setting })).toThrow(problem);
    }
  });

  it('does not show a misplaced secret', () => {
    const wrong = { ...fine, apiKey: 7, headers: 'sk-very-secret' } as unknown as typeof fine;
    expect(() => createLlmAdapter(wrong)).toThrow(/^apiKey: expected text$/);
    expect(() => createLlmAdapter({ ...wrong, ...{ apiKey: '' } })).toThrow(/^headers: expected an object$/);
  });

  it('ignores undefined settings', () => {
    expect(typeof createLlmAdapter({ ...fine, maxTokens: undefined, headers: undefined })).toBe('function');
  });
});
