// The exact requests to each API, and their answers: tools, schemas, reasoning.

import { describe, expect, it } from 'vitest';
import {
  assistantMessage,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  refusesForcedTools,
} from '../../../src/participants/models/index.ts';
import { anthropic, apis, chat, responses } from './apis.ts';
import { hello, KEY, scene } from './scene.ts';
import { frame, status, stream } from './stub-model.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather: ModelTool = { name: 'weather', description: 'Tells the weather.', parameters };
const closed = { ...parameters, additionalProperties: false };
const thread: readonly ModelMessage[] = [
  { role: 'user', content: 'How is it?' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [
      { id: 'a', name: 'weather', arguments: { city: 'Bern' } },
      { id: 'b', name: 'weather', arguments: { city: 'Rom' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: 'snow' },
  { role: 'tool', tool_call_id: 'b', content: 'no such place', is_error: true },
  { role: 'user', content: 'Well?' },
];
const all: ModelRequest = {
  system: 'Be brief.',
  messages: thread,
  tools: [weather],
  toolChoice: { name: 'weather' },
  schema: { name: 'answer', schema: closed },
  maxTokens: 100,
  temperature: 0.2,
};

describe('[MD11] a request', () => {
  it('to Anthropic', async () => {
    const { client, stub } = await scene(anthropic, [stream(...anthropic.says('Yes.'))]);
    await client.complete(all);
    expect(stub.asked[0]?.path).toBe('/v1/messages');
    expect(stub.asked[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
    expect(stub.asked[0]?.headers.authorization).toBeUndefined();
    expect(stub.asked[0]?.body).toEqual({
      model: 'm-1',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'How is it?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Bern' } },
            { type: 'tool_use', id: 'b', name: 'weather', input: { city: 'Rom' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'snow' },
            { type: 'tool_result', tool_use_id: 'b', content: 'no such place', is_error: true },
            { type: 'text', text: 'Well?' },
          ],
        },
      ],
      tools: [{ name: 'weather', description: 'Tells the weather.', input_schema: parameters }],
      tool_choice: { type: 'tool', name: 'weather' },
      output_config: { format: { type: 'json_schema', schema: closed } },
      temperature: 0.2,
      stream: true,
    });
  });

  it('to chat completions', async () => {
    const { client, stub } = await scene(chat, [stream(...chat.says('Yes.'))]);
    await client.complete(all);
    expect(stub.asked[0]?.path).toBe('/v1/chat/completions');
    expect(stub.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const call = (id: string, city: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: JSON.stringify({ city }) },
    });
    expect(stub.asked[0]?.body).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How is it?' },
        { role: 'assistant', content: 'I look.', tool_calls: [call('a', 'Bern'), call('b', 'Rom')] },
        { role: 'tool', tool_call_id: 'a', content: 'snow' },
        { role: 'tool', tool_call_id: 'b', content: 'no such place' },
        { role: 'user', content: 'Well?' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', description: 'Tells the weather.', parameters } }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: closed, strict: true } },
      max_completion_tokens: 100,
      temperature: 0.2,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('to Responses', async () => {
    const { client, stub } = await scene(responses, [stream(...responses.says('Yes.'))]);
    await client.complete(all);
    expect(stub.asked[0]?.path).toBe('/v1/responses');
    expect(stub.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const call = (call_id: string, city: string) => ({
      type: 'function_call',
      call_id,
      name: 'weather',
      arguments: JSON.stringify({ city }),
    });
    expect(stub.asked[0]?.body).toEqual({
      model: 'm-1',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'How is it?' },
        { role: 'assistant', content: 'I look.' },
        call('a', 'Bern'),
        call('b', 'Rom'),
        { type: 'function_call_output', call_id: 'a', output: 'snow' },
        { type: 'function_call_output', call_id: 'b', output: 'no such place' },
        { role: 'user', content: 'Well?' },
      ],
      tools: [{ type: 'function', name: 'weather', description: 'Tells the weather.', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'weather' },
      text: { format: { type: 'json_schema', name: 'answer', schema: closed, strict: true } },
      max_output_tokens: 100,
      temperature: 0.2,
      store: false,
      stream: true,
    });
  });

  it.each([
    [anthropic, { type: 'any' }, { type: 'none' }],
    [chat, 'required', 'none'],
    [responses, 'required', 'none'],
  ])('forces some tool, or none: $0.name', async (api, required, none) => {
    const { client, stub } = await scene(api, [stream(...api.says('Yes.'))]);
    await client.complete({ ...hello, tools: [weather], toolChoice: 'required' });
    await client.complete({ ...hello, tools: [weather], toolChoice: 'none' });
    await client.complete({ ...hello, toolChoice: 'required' });
    expect(stub.asked.map(({ body }) => body.tool_choice)).toEqual([required, none, undefined]);
  });

  it.each([
    ['an open object', parameters],
    ['an optional field', { ...closed, required: [] }],
    ['an open object within', { ...closed, properties: { city: parameters } }],
    ['an open object in a list of choices', { anyOf: [closed, parameters] }],
  ])('is not strict about a schema with %s', async (_, schema) => {
    const { client, stub } = await scene(chat, [stream(...chat.says('Yes.'))]);
    await client.complete({ ...hello, schema: { name: 'answer', schema } });
    expect(stub.asked[0]?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema },
    });
  });

  it('adds and removes fields as configured', async () => {
    const body = { stream_options: null, reasoning_effort: 'low', max_tokens: 5 };
    const headers = { 'X-Team': 'parley', Authorization: 'Token other-secret-1' };
    const { client, stub } = await scene(chat, [stream(...chat.says('Yes.'))], { body, headers });
    await client.complete(hello);
    expect(stub.asked[0]?.body).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?' },
      ],
      stream: true,
      reasoning_effort: 'low',
      max_tokens: 5,
    });
    expect(stub.asked[0]?.headers).toMatchObject({ 'x-team': 'parley', authorization: 'Token other-secret-1' });
  });

  it('keeps the query of a URL, and accepts a trailing slash or a version', async () => {
    const { models, stub } = await scene(chat, [stream(...chat.says('Yes.')), stream(...anthropic.says('Yes.'))]);
    await models.createChatClient({ baseUrl: `${stub.origin}/v1/?api-version=7`, model: 'm' }).complete(hello);
    await models.createAnthropicClient({ baseUrl: `${stub.origin}/v1/`, model: 'm' }).complete(hello);
    await models.createAnthropicClient({ baseUrl: `${stub.origin}?beta=true`, model: 'm' }).complete(hello);
    const paths = ['/v1/chat/completions?api-version=7', '/v1/messages', '/v1/messages?beta=true'];
    expect(stub.asked.map(({ path }) => path)).toEqual(paths);
    expect(stub.asked[0]?.headers.authorization).toBeUndefined();
  });
});

describe.each(apis)('[MD11] tools over $name', (api) => {
  it('reads a call from its parts, and repeats it with its result', async () => {
    const { client, stub } = await scene(api, [stream(...api.calls('weather', '{"ci', 'ty":"Zü', 'rich"}'))]);
    const reply = await client.complete({ ...hello, tools: [weather] });
    expect(reply).toMatchObject({ text: '', stop: 'tool_calls' });
    expect(reply.tool_calls).toEqual([{ id: 'call_a', name: 'weather', arguments: { city: 'Zürich' } }]);
    const messages: ModelMessage[] = [
      ...hello.messages,
      assistantMessage(reply),
      { role: 'tool', tool_call_id: 'call_a', content: 'fog' },
    ];
    await client.complete({ ...hello, messages, tools: [weather] });
    const repeated = JSON.stringify(stub.asked[1]?.body);
    expect(repeated).toContain('call_a');
    expect(repeated).toContain('Zürich');
    expect(repeated).toContain('fog');
    // Ids of items that were not stored must not be sent.
    expect(repeated).not.toContain('fc_1');
  });

  it('reads a call without arguments', async () => {
    const { client } = await scene(api, [stream(...api.calls('look'))]);
    expect((await client.complete(hello)).tool_calls).toEqual([{ id: 'call_a', name: 'look', arguments: {} }]);
  });

  it.each([
    'Thinking may not be enabled when tool_choice forces tool use.',
    'The tool_choice parameter does not support being set to required or object in thinking mode',
    'This model does not support forced tool use',
  ])('[MD12] recognizes a model that rejects forced tools: %s', async (message) => {
    const { fails, stub } = await scene(api, [status(400, api.refusal('invalid_request_error', message))]);
    for (const toolChoice of ['required', { name: 'weather' }] as const) {
      const error = await fails({ tools: [weather], toolChoice });
      expect(error.kind).toBe('invalid_request');
      expect(refusesForcedTools(error)).toBe(true);
    }
    expect(refusesForcedTools(await fails({ tools: [weather], toolChoice: 'auto' }))).toBe(false);
    expect(stub.asked).toHaveLength(3);
  });

  it('[MD12] recognizes it by the name of the parameter too', async () => {
    const error = { type: 'invalid_request_error', message: 'Unsupported value.', param: 'tool_choice' };
    const { fails } = await scene(api, [status(400, { error })]);
    expect(refusesForcedTools(await fails({ tools: [weather], toolChoice: 'required' }))).toBe(true);
  });

  it('[MD12] does not confuse other rejections with it', async () => {
    const { fails } = await scene(api, [status(400, api.refusal('invalid_request_error', 'messages: too many'))]);
    expect(refusesForcedTools(await fails({ tools: [weather], toolChoice: 'required' }))).toBe(false);
    expect(refusesForcedTools(new Error('tool_choice'))).toBe(false);
    expect(refusesForcedTools(undefined)).toBe(false);
  });
});

describe('[MD11] reasoning', () => {
  it('returns to Anthropic with its signature, and to no other API', async () => {
    const toolUse = { type: 'tool_use', id: 'a', name: 'weather', input: {} };
    const thinking = [
      frame({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } }),
      frame({ type: 'content_block_start', index: 1, content_block: toolUse }),
      ...anthropic.calls('x').slice(-2),
    ];
    const answers = [stream(...thinking), stream(...anthropic.says('Yes.')), stream(...chat.says('Yes.'))];
    const { client, stub, models } = await scene(anthropic, answers);
    const reply = await client.complete(hello);
    const messages = [...hello.messages, assistantMessage(reply)];
    await client.complete({ messages });
    await models.createChatClient({ baseUrl: stub.origin, model: 'm' }).complete({ messages });
    const content = [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }, toolUse];
    expect(stub.asked[1]?.body.messages).toContainEqual({ role: 'assistant', content });
    expect(JSON.stringify(stub.asked[2]?.body)).not.toContain('Hm.');
  });

  it('returns to Responses if it is readable there', async () => {
    const text = [{ type: 'output_text', text: 'Yes.' }];
    const output = [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'secret thoughts', summary: [] },
      { type: 'reasoning', id: 'rs_2', summary: [] },
      { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: text },
    ];
    const completed = frame({ type: 'response.completed', response: { output } });
    const { client, stub } = await scene(responses, [stream(completed)]);
    const reply = await client.complete(hello);
    await client.complete({ messages: [...hello.messages, assistantMessage(reply)] });
    expect(stub.asked[1]?.body.input).toEqual([
      { role: 'user', content: 'Hello?' },
      { type: 'reasoning', encrypted_content: 'secret thoughts', summary: [] },
      { type: 'message', role: 'assistant', content: text },
    ]);
  });
});
