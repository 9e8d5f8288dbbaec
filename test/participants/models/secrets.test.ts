// Keys appear in requests only: everything a run produces is searched for them.

import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { redactedText } from '../../../src/participants/models/calls/call-model.ts';
import { createModels } from '../../../src/participants/models/index.ts';
import { apis, chat } from './apis.ts';
import { KEY, scene, VirtualClock } from './scene.ts';
import { cut, reset, type StubAnswer, status, stream } from './stub-model.ts';

/** All of it, however deep, including non-enumerable members. */
function everythingOf(value: unknown): string {
  return `${inspect(value, { depth: null, showHidden: true, maxStringLength: null })} ${JSON.stringify(value)} ${value instanceof Error ? value.stack : ''}`;
}

const echo = `you sent ${KEY} in Authorization: Bearer ${KEY}, x-api-key: ${KEY}`;
const padded = `${'x'.repeat(1900)} ${echo}`;

describe.each(apis)('[MD10] over $name', (api) => {
  const faults: readonly (readonly [string, StubAnswer])[] = [
    ['a 400', status(400, api.refusal(KEY, echo))],
    ['a 401', status(401, api.refusal('authentication_error', echo), { 'request-id': KEY })],
    ['a 429', status(429, api.refusal('rate_limit_error', padded))],
    ['a 500 with a page', status(500, `<html>${echo}</html>`)],
    ['a 500 with a page cut in the key', status(500, `${'y'.repeat(64 * 1024 - 8)}${KEY}`)],
    ['a body that is not JSON', status(200, echo)],
    ['an event that is not JSON', stream(`data: ${'z'.repeat(185)} ${echo}\n\n`)],
    ['arguments that are not JSON', stream(...api.calls('look', `${'"'.repeat(195)}${KEY}`))],
    ['an error event', stream(api.error('overloaded_error', echo))],
    ['a cut', cut(...api.says(`Half ${echo}`).slice(0, 2))],
    ['no answer', reset],
    ['a redirect', status(307, '', { location: `http://localhost/${KEY}` })],
  ];

  it.each(faults)('shows no key after %s', async (_, fault) => {
    const written: string[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...line) => void written.push(inspect(line))),
    );
    const { fails, progress, client, stub } = await scene(api, [fault]);
    const error = await fails();
    for (const spy of spies) spy.mockRestore();
    const seen = [everythingOf(error), ...progress, ...written, everythingOf(client), String(client.complete)].join();
    expect(seen).not.toContain(KEY);
    expect(seen).not.toContain(KEY.slice(0, 5));
    // The request had the key.
    expect(everythingOf(stub.asked)).toContain(KEY);
  });
});

describe('[MD10] keys', () => {
  it('do not follow redirects', async () => {
    const { stub: other } = await scene(chat, [stream(...chat.says('Caught.'))]);
    for (const api of apis) {
      for (const code of [301, 302, 307, 308]) {
        const { fails, stub } = await scene(api, [status(code, '', { location: `${other.origin}/v1` })]);
        const error = await fails();
        expect(error.kind).toBe('invalid_request');
        expect(error.message).toContain('set baseUrl');
        expect(stub.asked).toHaveLength(1);
      }
    }
    expect(other.asked).toEqual([]);
  });

  const models = createModels({ fetch, clock: new VirtualClock() });
  it.each([
    [{ baseUrl: `https://user:${KEY}@example.com`, apiKey: '', model: 'm' }, /^baseUrl: expected no user/],
    [{ baseUrl: `file:///${KEY}`, apiKey: '', model: 'm' }, /^baseUrl: expected an http or https address/],
    [{ baseUrl: 'http://127.0.0.1/v1', headers: { 'x-key': `${KEY}\r\n` }, model: 'm' }, /^headers.x-key: expected/],
    [{ baseUrl: 'http://127.0.0.1/v1', apiKey: KEY, model: '' }, /^model: expected the name/],
  ])('are rejected without being shown if they cannot be sent', (provider, problem) => {
    for (const create of [models.createLlmAdapter, models.createAnthropicAdapter, models.createResponsesAdapter]) {
      const thrown = caught(() => create(provider));
      expect(thrown.message).toMatch(problem);
      expect(everythingOf(thrown)).not.toContain(KEY);
    }
  });

  it.each([`${KEY}\n`, `${KEY}ü`, '…'])('are rejected when needed if invalid, and sent to nobody', async (apiKey) => {
    const never = () => Promise.reject(new Error('it was asked'));
    const own = createModels({ fetch: never, clock: new VirtualClock() });
    for (const create of [own.createLlmAdapter, own.createAnthropicAdapter, own.createResponsesAdapter]) {
      const agent = create({ baseUrl: 'http://127.0.0.1/v1', apiKey, model: 'm' });
      const start = { role: 'user', content: 'x', meta: {}, timestamp: '2026-11-01T00:00:00.000Z' };
      const thrown = await agent({ threadId: 't', start, steps: [] }, 'p').catch((reason) => reason);
      expect(thrown.kind).toBe('auth');
      expect(thrown.message).toContain('the apiKey cannot be sent: expected one line');
      expect(everythingOf(thrown)).not.toContain(KEY);
    }
  });

  it('in headers and in the query are hidden too', async () => {
    const other = 'another-secret-77';
    const third = 'third-secret-88';
    const answers = [status(400, chat.refusal('x', `no ${other} and no ${third}`))];
    const { stub, models: own } = await scene(chat, answers);
    const client = own.createChatClient({
      baseUrl: `${stub.origin}/v1?key=${third}`,
      headers: { Authorization: `Token ${other}` },
      model: 'm',
    });
    const error: unknown = await client.complete({ messages: [] }).catch((thrown: unknown) => thrown);
    expect(stub.asked[0]?.path).toContain(third);
    expect(everythingOf(error)).not.toContain(other);
    expect(everythingOf(error)).not.toContain(third);
  });
});

describe('[MD10] a truncated text', () => {
  it('shows no part of a key, wherever the cut is', () => {
    const places = [...Array(40).keys()].flatMap((at) => [170 + at, 16_384 - 30 + at]);
    for (const at of places) {
      const shown = redactedText(`${'x'.repeat(at - 1)} ${KEY} and more`, 200, [KEY]);
      expect(shown, `at ${at}`).not.toContain(KEY.slice(0, 5));
      expect(shown.length).toBeLessThanOrEqual(200);
    }
  });

  it('shows no half of a long repeated key', () => {
    const long = `key-${'0123456789abcdef'.repeat(40)}`;
    for (let at = 0; at < long.length; at += 7) {
      const shown = redactedText(`${' '.repeat(at)}${long.repeat(60)}`, 100_000, [long]);
      expect(shown.trim().replaceAll('[secret]', '')).toMatch(/^.{0,3}$/);
    }
  });
});

function caught(run: () => unknown): Error {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
  }
  throw new Error('nothing was thrown');
}
