// Streamed answers: in parts, broken, silent, with errors, and cancelled.

import { describe, expect, it } from 'vitest';
import { CallTimeouts } from '../../../src/participants/models/calls/call-timeouts.ts';
import { createModels } from '../../../src/participants/models/index.ts';
import { anthropic, apis, chat, responses } from './apis.ts';
import { scene, VirtualClock } from './scene.ts';
import { cut, frame, silence, stall, status, stream, whole } from './stub-model.ts';

const S = 1000;

describe.each(apis)('over $name', (api) => {
  const good = stream(...api.says('Yes', ', ', 'wörld 👋.'));

  it('[MD8] [MD8] streams text in parts, and returns all of it', async () => {
    const { ask, stub, clock } = await scene(api, [good]);
    const deltas: string[] = [];
    const reply = await ask({ onDelta: (text) => deltas.push(text) });
    expect(deltas).toEqual(['Yes', ', ', 'wörld 👋.']);
    expect(reply).toMatchObject({
      text: 'Yes, wörld 👋.',
      stop: 'end',
      tool_calls: [],
      retries: 0,
      request_id: 'req_1',
    });
    expect(reply.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    expect(stub.asked.map(({ path }) => path)).toEqual([api.path]);
    expect(clock.waiting).toBe(0);
  });

  it('[MD8] streams text before the answer is complete', async () => {
    const begun = stall(...api.says('Wait', ' for it').slice(0, -1));
    const { ask, clock, stub } = await scene(api, [begun], { maxRetries: 0 });
    const cancel = new AbortController();
    const heard = new Promise<string>((resolve) => {
      void ask({ onDelta: resolve, signal: cancel.signal }).catch(() => {});
    });
    expect(await heard).toBe('Wait');
    cancel.abort();
    await stub.until(() => stub.hungUp === 1);
    expect(clock.waiting).toBe(0);
  });

  it('[MD8] accepts an answer in one piece, requested or not', async () => {
    for (const isStream of [true, false]) {
      const { ask, stub } = await scene(api, [whole(api.whole('All at once.'))], { stream: isStream });
      const deltas: string[] = [];
      const reply = await ask({ onDelta: (text) => deltas.push(text) });
      expect(reply).toMatchObject({ text: 'All at once.', stop: 'end', usage: { input_tokens: 10, output_tokens: 5 } });
      expect(deltas).toEqual(['All at once.']);
      expect(stub.asked[0]?.body.stream ?? false).toBe(isStream);
    }
  });

  it('[MD5] does not retry after text was streamed, and keeps the partial text', async () => {
    const begun = api.says('Half', ' of it').slice(0, -3);
    const breaks = [
      cut(...begun),
      stream(...begun),
      stream(...begun, api.error('overloaded_error')),
      stream(...begun, 'data: {\n\n'),
    ];
    for (const broken of breaks) {
      const { fails, stub } = await scene(api, [broken, good]);
      let heard = '';
      const error = await fails({
        onDelta(text) {
          heard += text;
        },
      });
      expect(stub.asked).toHaveLength(1);
      expect(heard).toMatch(/^Half/);
      expect(error.details.partial).toBe(heard);
      expect(error.details.call?.retries).toBe(0);
    }
  });

  it('[MD5] retries if no text was streamed', async () => {
    const { ask, stub } = await scene(api, [cut(...api.says('Half').slice(0, 2)), good]);
    expect((await ask()).text).toBe('Yes, wörld 👋.');
    expect(stub.asked).toHaveLength(2);
  });

  it.each([
    ['overloaded_error', 'overloaded', [2 * S, 4 * S, 8 * S]],
    ['rate_limit_exceeded', 'rate_limited', [1 * S, 2 * S, 4 * S, 8 * S, 16 * S]],
    ['something_new', 'overloaded', [2 * S, 4 * S, 8 * S]],
    ['invalid_request_error', 'invalid_request', []],
    ['authentication_error', 'auth', []],
  ])('[MD8] reports the error %s inside an answer with status 200 as %s', async (type, kind, waits) => {
    const { fails, gaps } = await scene(api, [stream(api.error(type, 'Too much.'))]);
    const error = await fails();
    expect(error.kind).toBe(kind);
    expect(error.message).toContain('Too much.');
    expect(error.details.call).toMatchObject({ status: 200, code: type });
    expect(gaps()).toEqual(waits);
  });

  it('[MD6] applies the attempt timeout to the body', async () => {
    const limits = { timeoutMs: 60 * S, idleMs: 1000 * S };
    const { fails, stub, clock } = await scene(api, [stall(...api.says('Half', ' of it').slice(0, -3))], limits);
    const isHeard = { yes: false };
    const failed = fails({
      onDelta() {
        isHeard.yes = true;
        stub.poke();
      },
    });
    await stub.until(() => isHeard.yes);
    clock.advance(60 * S - 1);
    expect(clock.waiting).toBe(2);
    clock.advance(1);
    const error = await failed;
    expect(error.kind).toBe('timeout');
    expect(error.details).toMatchObject({ watchdog: 'wall', partial: expect.stringMatching(/^Half/) });
    await stub.until(() => stub.hungUp === 1);
    expect(clock.waiting).toBe(0);
  });

  it('[MD6] retries once if a body stalls without text', async () => {
    const { fails, stub, clock, gaps } = await scene(api, [stall()], { idleMs: 10 * S, timeoutMs: 1000 * S });
    const failed = fails();
    for (const tries of [1, 2]) {
      await stub.until(() => stub.asked.length === tries);
      clock.advance(10 * S);
    }
    const error = await failed;
    expect(gaps()).toEqual([10 * S + 5 * S]);
    expect(error).toMatchObject({ kind: 'timeout', details: { watchdog: 'idle', call: { retries: 1 } } });
  });

  it('[MD9] cancels the request on the server', async () => {
    for (const answer of [silence, stall(...api.says('Half').slice(0, 2))]) {
      const { fails, stub, clock } = await scene(api, [answer]);
      const cancel = new AbortController();
      const failed = fails({ signal: cancel.signal });
      await stub.until(() => stub.asked.length === 1);
      cancel.abort();
      expect((await failed).kind).toBe('aborted');
      await stub.until(() => stub.hungUp === 1);
      expect(stub.asked).toHaveLength(1);
      expect(clock.waiting).toBe(0);
    }
  });

  it('[MD9] cancels a pause immediately, and never sends a request cancelled before', async () => {
    const { client, stub, clock } = await scene(api, [status(429)]);
    const cancel = new AbortController();
    const failed = client.complete({
      messages: [{ role: 'user', content: 'x' }],
      signal: cancel.signal,
      onProgress: () => setImmediate(() => cancel.abort()),
    });
    await expect(failed).rejects.toMatchObject({ name: 'AgentError', kind: 'aborted' });
    expect(clock.waiting).toBe(0);
    await expect(client.complete({ messages: [], signal: cancel.signal })).rejects.toMatchObject({ kind: 'aborted' });
    expect(stub.asked).toHaveLength(1);
  });

  it('[MD8] accepts an answer in one piece without content type, or labelled as a stream', async () => {
    for (const type of [undefined, 'text/event-stream', 'text/plain']) {
      const { ask } = await scene(api, [
        (response) => {
          response.writeHead(200, type === undefined ? {} : { 'content-type': type });
          response.end(`\n ${JSON.stringify(api.whole('All at once.'))}`);
        },
      ]);
      expect(await ask(), String(type)).toMatchObject({ text: 'All at once.', stop: 'end' });
    }
  });

  it('[MD7] rejects excessive nesting, but counts its usage', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const used = JSON.stringify(api.whole('x')).slice(1);
    const odd = [status(200, `{"extra":${deep},${used}`), stream(...api.calls('look', deep))];
    for (const answer of odd) {
      const { fails, stub } = await scene(api, [answer]);
      const error = await fails();
      expect(error).toMatchObject({ kind: 'bad_output', details: { call: { class: 'parse', retries: 1 } } });
      expect(error.details.call?.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
      expect(stub.asked).toHaveLength(2);
    }
    const { fails } = await scene(api, [status(400, `{"detail":${deep}}`)]);
    expect(await fails()).toMatchObject({ kind: 'invalid_request' });
    const { fails: in200 } = await scene(api, [status(200, `{"detail":${deep}}`)], { maxRetries: 0 });
    expect(await in200()).toMatchObject({ kind: 'bad_output' });
    const { fails: inEvent } = await scene(api, [stream(`data: {"x":${deep}}\n\n`)], { maxRetries: 0 });
    expect(await inEvent()).toMatchObject({ kind: 'bad_output' });
  });

  it('[MD6] restarts the idle timeout with each part', async () => {
    const clock = new VirtualClock(0);
    const frames = api.says('a', 'b', 'c', 'd');
    let feed: (frame: string) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        feed = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    const headers = { 'content-type': 'text/event-stream' };
    const models = createModels({ fetch: async () => new Response(body, { headers }), clock });
    const client = api.client(models, { baseUrl: 'http://127.0.0.1:9', model: 'm-1', idleMs: 100, maxRetries: 0 });
    const reply = client.complete({ messages: [{ role: 'user', content: 'Hello?' }] });
    reply.catch(() => {});
    for (const text of frames) {
      // Everything readable is read before the event loop is idle.
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(80);
      feed(text);
    }
    expect(await reply).toMatchObject({ text: 'abcd', stop: 'end' });
  });

  it('[MD8] does not wait for a server that keeps the connection open', async () => {
    const { ask, stub } = await scene(api, [stall(...api.says('Done.'))]);
    expect((await ask()).text).toBe('Done.');
    await stub.until(() => stub.hungUp === 1);
  });
});

describe('[MD8] unusual servers', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 };
  const [begin = '', said = '', end = ''] = chat.says('Hi.');

  it.each([
    ['an empty list of choices', { choices: [], usage }],
    ['null for choices', { choices: null, usage }],
    ['no choices at all', { usage }],
  ])('accept usage with %s', async (_, last) => {
    const { ask } = await scene(chat, [stream(begin, said, end, frame(last), frame('[DONE]'))]);
    expect(await ask()).toMatchObject({ text: 'Hi.', usage: { input_tokens: 7, output_tokens: 3 } });
  });

  it('accept early usage', async () => {
    const early = frame({ choices: [{ delta: { content: 'Hi.' } }], usage });
    const { ask } = await scene(chat, [stream(early, end, frame('[DONE]'))]);
    expect((await ask()).usage).toMatchObject({ input_tokens: 7, output_tokens: 3 });
  });

  it('keep counts that are null later', async () => {
    const nullInput = (text: string) => text.replace('"usage":{"output', '"usage":{"input_tokens":null,"output');
    const frames = anthropic.says('Hi.').map(nullInput);
    const { ask } = await scene(anthropic, [stream(...frames)]);
    expect((await ask()).usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  });

  it('without usage, usage and cost are unknown', async () => {
    const { ask } = await scene(chat, [stream(begin, said, end, frame('[DONE]'))], { model: 'gpt-5.5' });
    expect(await ask()).toMatchObject({ cost_usd: null, usage: { input_tokens: null, output_tokens: null } });
  });

  it('[MD8] [MD8] waits at most 5 s for the last event of an open connection', async () => {
    const { ask, stub, clock } = await scene(chat, [stall(begin, said, end)]);
    const reply = ask();
    await stub.until(() => stub.asked.length === 1);
    while (clock.due !== 5 * S) await new Promise((resolve) => setImmediate(resolve));
    clock.toNext();
    expect(await reply).toMatchObject({ text: 'Hi.', stop: 'end', retries: 0 });
    expect(clock.monotonic()).toBe(5 * S);
  });

  it('accept a connection cut after the model has finished', async () => {
    const { ask, stub } = await scene(chat, [cut(begin, said, end)]);
    expect(await ask()).toMatchObject({ text: 'Hi.', stop: 'end' });
    expect(stub.asked).toHaveLength(1);
  });

  it('start a tool call by its id without an index', async () => {
    const call = (id: string, name: string, given: unknown) =>
      frame({ choices: [{ delta: { tool_calls: [{ id, function: { name, arguments: given } }] } }] });
    const frames = [call('a', 'look', '{"x":1}'), call('b', 'say', { y: 2 }), chat.says()[1] ?? ''];
    const { ask } = await scene(chat, [stream(...frames, frame('[DONE]'))]);
    const reply = await ask();
    expect(reply.tool_calls).toEqual([
      { id: 'a', name: 'look', arguments: { x: 1 } },
      { id: 'b', name: 'say', arguments: { y: 2 } },
    ]);
    expect(reply.stop).toBe('tool_calls');
  });

  it('start tool calls of index 0 by their ids, with repeated names', async () => {
    const call = (id: string, name: string | undefined, given: string) =>
      frame({ choices: [{ delta: { tool_calls: [{ index: 0, id, function: { name, arguments: given } }] } }] });
    const frames = [
      call('a', 'look', '{"x":'),
      call('a', 'look', '1}'),
      call('b', 'look', '{"y"'),
      call('', '', ':2}'),
    ];
    // Some servers give each part its own id; without a name it starts nothing.
    frames.push(call('c', 'say', '{"z":'), call('d', undefined, '3}'));
    const { ask } = await scene(chat, [stream(...frames, chat.says()[1] ?? '', frame('[DONE]'))]);
    expect((await ask()).tool_calls).toEqual([
      { id: 'a', name: 'look', arguments: { x: 1 } },
      { id: 'b', name: 'look', arguments: { y: 2 } },
      { id: 'c', name: 'say', arguments: { z: 3 } },
    ]);
  });

  it('accept content as a list of parts, without reasoning', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hi' },
      { type: 'text', text: '.' },
    ];
    const body = { choices: [{ message: { content }, finish_reason: 'stop' }] };
    const deltas: string[] = [];
    const { ask } = await scene(chat, [whole(body)]);
    expect(await ask({ onDelta: (text) => deltas.push(text) })).toMatchObject({ text: 'Hi.', stop: 'end' });
    expect(deltas).toEqual(['Hi.']);
    const streamed = frame({ choices: [{ delta: { content }, finish_reason: 'stop' }] });
    const { ask: again } = await scene(chat, [stream(streamed, frame('[DONE]'))]);
    expect(await again()).toMatchObject({ text: 'Hi.' });
  });

  it('report an error in the body of a 200', async () => {
    const { fails, gaps } = await scene(chat, [whole({ error: { code: 429, message: 'Later.' } })], { maxRetries: 1 });
    expect((await fails()).kind).toBe('rate_limited');
    expect(gaps()).toEqual([1 * S]);
  });

  it('Responses may omit the output from the last event, and the text from deltas', async () => {
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] };
    const done = frame({ type: 'response.output_item.done', item });
    const response = { id: 'r', usage: { input_tokens: 1, output_tokens: 2 } };
    const last = frame({ type: 'response.completed', response });
    const { ask } = await scene(responses, [stream(done, last)]);
    const deltas: string[] = [];
    const reply = await ask({ onDelta: (text) => deltas.push(text) });
    expect(reply).toMatchObject({ text: 'Hi.', stop: 'end', usage: { input_tokens: 1, output_tokens: 2 } });
    expect(deltas).toEqual(['Hi.']);
  });

  it('Responses may send only deltas, never a whole item', async () => {
    const deltas = ['He', 'llo'].map((delta) => frame({ type: 'response.output_text.delta', delta }));
    const last = frame({ type: 'response.completed', response: { status: 'completed', output: [] } });
    const { ask } = await scene(responses, [stream(...deltas, last)]);
    const reply = await ask();
    expect(reply).toMatchObject({ text: 'Hello', stop: 'end' });
    const content = [{ type: 'output_text', text: 'Hello' }];
    expect(reply.raw.content).toEqual([{ type: 'message', role: 'assistant', content }]);
  });

  it('Responses may be incomplete by event name only', async () => {
    const response = { ...responses.whole('cut'), status: undefined };
    const cutOff = { ...response, incomplete_details: { reason: 'max_output_tokens' } };
    const { ask } = await scene(responses, [stream(frame({ type: 'response.incomplete', response: cutOff }))]);
    expect(await ask()).toMatchObject({ text: 'cut', stop: 'length' });
  });

  it('exclude reasoning from the text', async () => {
    const block = (index: number, content_block: object, delta: object) => [
      frame({ type: 'content_block_start', index, content_block }),
      frame({ type: 'content_block_delta', index, delta }),
    ];
    const frames = [
      ...block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Hm.' }),
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } }),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi.' }),
      frame({ type: 'something_new', index: 1 }),
      ...anthropic.says().slice(-2),
    ];
    const { ask } = await scene(anthropic, [stream(...frames)]);
    const deltas: string[] = [];
    const reply = await ask({ onDelta: (text) => deltas.push(text) });
    expect(reply.text).toBe('Hi.');
    expect(deltas).toEqual(['Hi.']);
    expect(reply.raw.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'Hi.' },
    ]);
  });

  const refusal = { output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] };
  it.each([
    [anthropic, anthropic.says('No.').map((each) => each.replace('end_turn', 'refusal'))],
    [chat, [frame({ choices: [{ delta: { refusal: 'No.' }, finish_reason: 'stop' }] }), frame('[DONE]')]],
    [responses, [frame({ type: 'response.completed', response: refusal })]],
  ])('report a refusal: $0.name', async (api, frames) => {
    const { ask } = await scene(api, [stream(...frames)]);
    expect(await ask()).toMatchObject({ stop: 'refused', refusal: 'No.' });
  });

  const incomplete = '"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output"';
  const cutOff = (text: string) =>
    text.replaceAll('response.completed', 'response.incomplete').replace('"status":"completed","output"', incomplete);
  it.each([
    [anthropic, anthropic.says('Long').map((each) => each.replace('end_turn', 'max_tokens'))],
    [chat, chat.says('Long').map((each) => each.replace('"stop"', '"length"'))],
    [responses, responses.says('Long').map(cutOff)],
  ])('report a truncated answer: $0.name', async (api, frames) => {
    const { ask } = await scene(api, [stream(...frames)]);
    expect(await ask()).toMatchObject({ stop: 'length', text: 'Long' });
  });
});

describe('[MD6] the total time', () => {
  it('ends a call that would retry', async () => {
    const { fails, gaps } = await scene(chat, [status(429)], { totalMs: 10 * S });
    const error = await fails();
    expect(gaps()).toEqual([1 * S, 2 * S, 4 * S]);
    expect(error.kind).toBe('rate_limited');
  });

  it('ends an attempt that would take longer', async () => {
    const { fails, stub, clock } = await scene(chat, [status(429), silence], { totalMs: 10 * S });
    const failed = fails();
    await stub.until(() => stub.asked.length === 2);
    clock.advance(9 * S);
    expect((await failed).kind).toBe('timeout');
    expect(stub.asked).toHaveLength(2);
  });

  it('rejects waits that start after the end', async () => {
    const watch = new CallTimeouts({ clock: new VirtualClock(), wallMs: 1, idleMs: 1 });
    watch.close();
    await expect(watch.until(new Promise(() => {}))).rejects.toThrow('the watch has ended');
  });

  it('applies to a fetch that cannot be aborted', async () => {
    const clock = new VirtualClock();
    const deaf = createModels({ fetch: () => new Promise(() => {}), clock });
    const settings = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', timeoutMs: 5 * S, maxRetries: 0 };
    const client = deaf.createChatClient(settings);
    const failed = client.complete({ messages: [] });
    clock.advance(5 * S);
    await expect(failed).rejects.toMatchObject({ kind: 'timeout' });
  });
});
