// A model does the turn: a real server, virtual time, every row of the page's tables.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunAdapterOptions } from '../../../src/governed/index.ts';
import { anthropic, chat } from '../../participants/models/apis.ts';
import { VirtualClock } from '../../participants/models/scene.ts';
import {
  cut,
  reset,
  type StubAnswer,
  StubModel,
  silence,
  stall,
  status,
  stream,
  whole,
} from '../../participants/models/stub-model.ts';
import { BUNDLE, KEPT, Scene, SECRET } from './scene.ts';

const S = 1000;
const RATE_LIMIT = [1 * S, 2 * S, 4 * S, 8 * S, 16 * S];

let scene: Scene;
let stub: StubModel;
let clock: VirtualClock;
beforeEach(async () => {
  scene = new Scene();
  clock = new VirtualClock(Date.UTC(2026, 9, 20));
  stub = await StubModel.start(() => clock.monotonic());
});
afterEach(async () => {
  await stub.stop();
  scene.remove();
});

const both = [
  { name: 'anthropic', api: anthropic, model: 'claude-sonnet-4-6', base: '' },
  { name: 'openai', api: chat, model: 'gpt-4o-mini', base: '/v1' },
  { name: 'lighthouse', api: chat, model: 'lamp-1', base: '/v1' },
] as const;
type Way = (typeof both)[number];

/** The turn is out to this model, which answers so. */
async function out({ name, model, base }: Way, answers: readonly StubAnswer[], more: object = {}): Promise<void> {
  stub.will(...answers);
  const place = { base_url: `${stub.origin}${base}`, api_key_env: 'LAMP_KEY' };
  await scene.dispatched({ type: 'api_proxy', provider: name, model, ...place, ...more });
}

/** Every wait between two tries passes at once, and no other. */
function options(more: RunAdapterOptions = {}): RunAdapterOptions {
  return {
    clock,
    variables: { LAMP_KEY: SECRET },
    write(text) {
      scene.written.push(text);
      if (/ in [\d.]+ s\n$/.test(text)) setImmediate(() => clock.toNext());
    },
    ...more,
  };
}

const gaps = (): readonly number[] => stub.asked.slice(1).map(({ atMs }, at) => atMs - (stub.asked[at]?.atMs ?? 0));
const said = (over: object = {}): string => JSON.stringify({ ...scene.result, ...over });

describe.each(both)('[GA8] $name', (way) => {
  const { api } = way;

  it('429 is tried again after 1, 2, 4, 8 and 16 s, and then it fails as transient', async () => {
    await out(way, [status(429, api.refusal('rate_limit_error', 'slower'))]);
    const failure = await scene.fails(options());
    expect(gaps()).toEqual(RATE_LIMIT);
    expect(failure).toMatchObject({
      error_class: 'rate_limited',
      category: 'transient',
      blocked: false,
      http_status: 429,
    });
    expect(failure.adapter_meta).toMatchObject({ retries: 5, cost_usd: null, latency_ms: 31 * S });
    expect(failure.tries).toHaveLength(5);
  });

  it.each([500, 502, 503, 504, 529])('%i is tried again after 2, 4 and 8 s', async (code) => {
    await out(way, [status(code)]);
    const failure = await scene.fails(options());
    expect(gaps()).toEqual([2 * S, 4 * S, 8 * S]);
    const isOverloaded = code === 503 || code === 529;
    expect(failure).toMatchObject({
      error_class: isOverloaded ? 'provider_overloaded' : 'unknown_api_error',
      category: 'transient',
      http_status: code,
    });
  });

  it.each([
    [400, 'invalid_request', 'invalid_request_error', 'no such field'],
    [400, 'context_overflow', 'invalid_request_error', 'prompt is too long: 300000 tokens > 200000 maximum'],
    [401, 'auth_failure', 'authentication_error', 'who?'],
    [403, 'auth_failure', 'permission_error', 'not you'],
    [404, 'model_not_found', 'not_found_error', 'model: lamp-1'],
    [429, 'spend_limit', 'insufficient_quota', 'no money'],
  ])('%i (%s) is never tried again', async (code, error_class, type, message) => {
    await out(way, [status(code, api.refusal(type, message))]);
    const failure = await scene.fails(options());
    expect(stub.asked).toHaveLength(1);
    expect(failure).toMatchObject({ error_class, category: 'permanent', blocked: true, http_status: code });
    expect(failure.detail).toContain(message);
    if (error_class === 'auth_failure') expect(failure.recovery).toContain('Check the key');
  });

  it('no answer in time is asked for once more after 5 s', async () => {
    await out(way, [silence], { timeout_ms: 30 * S });
    const failed = scene.fails(options());
    for (const tries of [1, 2]) {
      await stub.until(() => stub.asked.length === tries);
      clock.advance(30 * S);
    }
    expect(await failed).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
    expect(gaps()).toEqual([35 * S]);
  });

  it('a body that stalls runs out of the same time', async () => {
    await out(way, [stall(...api.says('Half').slice(0, 2))], { timeout_ms: 30 * S });
    const failed = scene.fails(options());
    for (const tries of [1, 2]) {
      await stub.until(() => stub.asked.length === tries);
      while (clock.waiting < 2) await new Promise((done) => setImmediate(done));
      clock.advance(30 * S);
    }
    expect(await failed).toMatchObject({ reason: 'timeout' });
    expect(stub.asked).toHaveLength(2);
  });

  it.each([
    ['goes away', reset],
    ['breaks off', cut(...api.says('Yes.').slice(0, 2))],
  ])('a server that %s is asked once more after 5 s', async (_, broken) => {
    await out(way, [broken]);
    expect(await scene.fails(options())).toMatchObject({ error_class: 'network_failure', category: 'transient' });
    expect(gaps()).toEqual([5 * S]);
  });

  it.each([
    ['no JSON at all', () => status(200, '{"oops'), 'response_parse_failure'],
    ['words', () => stream(...api.says('I have done it.')), 'turn_result_extraction_failure'],
    ['half a result', () => stream(...api.says('{"schema_version": "1.0", "run_')), 'turn_result_extraction_failure'],
    ['JSON that is no result', () => stream(...api.says('{"ok": true}')), 'turn_result_extraction_failure'],
    [
      'a result that lacks a field',
      () => stream(...api.says(said({ summary: undefined }))),
      'turn_result_extraction_failure',
    ],
  ])('%s is asked for once more, and then it fails as parse', async (_, answer, error_class) => {
    await scene.dispatched({ type: 'manual' });
    await out(way, [answer()]);
    const failure = await scene.fails(options());
    expect(stub.asked).toHaveLength(2);
    expect(gaps()).toEqual([0]);
    expect(failure).toMatchObject({ error_class, category: 'parse', blocked: false });
    expect(scene.staged()).toBeNull();
  });

  it('one retry is all there is for what cannot be read, at whichever level', async () => {
    await out(way, [status(200, '{"oops'), stream(...api.says('words')), stream(...api.says('{}'))]);
    await scene.fails(options());
    expect(stub.asked).toHaveLength(2);
  });

  it('an answer after failures is the result, and says how many there were', async () => {
    await scene.dispatched({ type: 'manual' });
    await out(way, [status(429), status(500), stream(...api.says('sorry')), stream(...api.says(said()))]);
    const outcome = await scene.run(options());
    expect(outcome).toMatchObject({ ok: true, adapter_meta: { retries: 3, latency_ms: 3 * S } });
    expect(gaps()).toEqual([1 * S, 2 * S, 0]);
  });

  it('Retry-After is the least to wait, and what does not fit into the time is not waited for', async () => {
    await out(way, [status(429, {}, { 'retry-after': '9' }), status(503, {}, { 'retry-after': '86400' })]);
    const failure = await scene.fails(options());
    expect(gaps()).toEqual([9 * S]);
    expect(failure).toMatchObject({ error_class: 'provider_overloaded', retry_after_ms: 86_400 * S });
  });

  it.each([0, 2])('max_retries %i cuts the table short', async (max_retries) => {
    await out(way, [status(429)], { max_retries });
    await scene.fails(options());
    expect(gaps()).toEqual(RATE_LIMIT.slice(0, max_retries));
  });

  it('the time that is asked for is that of all tries', async () => {
    await out(way, [status(500)]);
    await scene.fails(options({ timeoutMs: 5 * S }));
    expect(gaps()).toEqual([2 * S]);
  });

  it('who cancels is heard while it waits', async () => {
    await out(way, [silence]);
    const cancel = new AbortController();
    const failed = scene.fails(options({ signal: cancel.signal }));
    await stub.until(() => stub.asked.length === 1);
    cancel.abort();
    expect(await failed).toMatchObject({ reason: 'aborted', blocked: false });
    expect(clock.waiting).toBe(0);
  });

  it('[GA7] the model is asked with prompt and context, at most 8192 tokens, and the key where it belongs', async () => {
    await scene.dispatched({ type: 'manual' });
    await out(way, [whole(api.whole(said()))], { temperature: 0.2 });
    await scene.run(options());
    const [asked] = stub.asked;
    if (asked === undefined) throw new Error('nobody was asked');
    const { path, headers, body } = asked;
    expect(path).toBe(api.path);
    const isAnthropic = way.name === 'anthropic';
    expect(isAnthropic ? headers['x-api-key'] : headers.authorization).toBe(isAnthropic ? SECRET : `Bearer ${SECRET}`);
    expect(isAnthropic ? body.max_tokens : body.max_completion_tokens).toBe(8192);
    expect(body).toMatchObject({ model: way.model, temperature: 0.2 });
    const user = `${scene.project.read(`${BUNDLE}/PROMPT.md`)}\n\n---\n\n${scene.project.read(`${BUNDLE}/CONTEXT.md`)}`;
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify(user).slice(1, -1));
  });

  it('[GA7] its answer is staged on its behalf, with what it used and cost', async () => {
    await scene.dispatched({ type: 'manual' });
    const answer = `Here it is:\n\`\`\`json\n${said({ cost: { usd: 99 } })}\n\`\`\`\nDone.`;
    await out(way, [stream(...api.says(answer))]);
    const outcome = await scene.run(options());
    const cost_usd = { anthropic: 0.000105, openai: 0.0000045, lighthouse: null }[way.name];
    const adapter_meta = {
      model: way.name === 'anthropic' ? 'claude-served' : 'served',
      provider: way.name,
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      cost_usd,
      latency_ms: 0,
      retries: 0,
    };
    const cost = { input_tokens: 10, output_tokens: 5, ...(cost_usd === null ? {} : { usd: cost_usd }) };
    expect(outcome).toEqual({ ok: true, turnResult: { ...scene.result, cost, adapter_meta }, adapter_meta });
    expect(scene.staged()).toEqual({ ...scene.result, cost, adapter_meta });
  });

  it.each([
    ['success', () => stream(...api.says(said()))],
    ['a 401 that shows it', () => status(401, api.refusal('authentication_error', `${SECRET} is wrong`))],
    ['words that show it', () => stream(...api.says(`My key is ${SECRET}`))],
    ['a page that shows it', () => status(200, SECRET)],
  ])('[GA9] the key is in no file, outcome or word after %s', async (_, answer) => {
    await scene.dispatched({ type: 'manual' });
    await out(way, [answer()]);
    const outcome = await scene.run(options());
    expect(`${JSON.stringify(outcome)} ${scene.everything()}`).not.toContain(SECRET);
    expect(JSON.stringify(stub.asked[0]?.headers)).toContain(SECRET);
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ provider: way.name });
  });
});

describe('[GA9] api_proxy', () => {
  const own = both[0];

  it.each(['anthropic', 'openai', 'google'])('%s without its key asks nobody', async (provider) => {
    await scene.dispatched({ type: 'api_proxy', provider, model: 'm' });
    let isAsked = false;
    const fetch = () => {
      isAsked = true;
      return Promise.reject(new Error('asked'));
    };
    const failure = await scene.fails({ variables: {}, fetch });
    expect(failure).toMatchObject({ error_class: 'missing_credentials', category: 'permanent', blocked: true });
    expect(failure.detail).toMatch(/the variable (ANTHROPIC|OPENAI|GEMINI)_API_KEY/);
    expect(isAsked).toBe(false);
  });

  it('a provider that nobody knows needs an address', async () => {
    await scene.dispatched({ type: 'api_proxy', provider: 'oracle', model: 'm' });
    expect(await scene.fails()).toMatchObject({ error_class: 'unsupported_provider', blocked: true });
  });

  it('the usual key of a provider does not go to another address than its own', async () => {
    stub.will(status(400));
    await scene.dispatched({ type: 'api_proxy', provider: 'anthropic', model: 'm', base_url: stub.origin });
    await scene.fails({ variables: { ANTHROPIC_API_KEY: SECRET } });
    expect(JSON.stringify(stub.asked[0]?.headers)).not.toContain(SECRET);
  });

  it.each([
    ['anthropic', 'https://api.anthropic.com/v1/messages'],
    ['openai', 'https://api.openai.com/v1/chat/completions'],
    ['google', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions'],
    ['ollama', 'http://127.0.0.1:11434/v1/chat/completions'],
  ])('%s is asked at %s', async (provider, url) => {
    await scene.dispatched({ type: 'api_proxy', provider, model: 'm', max_retries: 0 });
    const asked: string[] = [];
    const fetch = (address: string) => {
      asked.push(address);
      return Promise.reject(new Error('no network here'));
    };
    const variables = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' };
    await scene.fails({ variables, fetch });
    expect(asked).toEqual([url]);
  });

  it('a redirect is not followed', async () => {
    await out(own, [status(307, '', { location: 'http://127.0.0.1:9/' })]);
    expect(await scene.fails(options())).toMatchObject({ error_class: 'redirected', category: 'permanent' });
    expect(stub.asked).toHaveLength(1);
  });

  it('a model that refuses is not asked again', async () => {
    const frames = anthropic.says('I will not.').map((frame) => frame.replace('end_turn', 'refusal'));
    await out(own, [stream(...frames)]);
    const failure = await scene.fails(options());
    expect(failure).toMatchObject({
      error_class: 'model_refused',
      category: 'permanent',
      adapter_meta: { output_tokens: 5 },
    });
    expect(stub.asked).toHaveLength(1);
  });

  it('an answer that was cut off says that max_tokens is too small', async () => {
    const frames = anthropic.says('{"schema_version":').map((frame) => frame.replace('end_turn', 'max_tokens'));
    await out(own, [stream(...frames)], { max_tokens: 5 });
    expect((await scene.fails(options())).detail).toContain('max_tokens is too small');
    expect(stub.asked[0]?.body.max_tokens).toBe(5);
  });

  it('other names of settings mean the same', async () => {
    stub.will(stream(...anthropic.says('no')));
    await scene.dispatched({
      type: 'api_proxy',
      ...{ provider: 'anthropic', model: 'm', base_url: stub.origin, auth_env: 'LAMP_KEY' },
      ...{ max_output_tokens: 77, timeout_seconds: 9 },
    });
    await scene.fails(options());
    expect(stub.asked[0]).toMatchObject({ headers: { 'x-api-key': SECRET }, body: { max_tokens: 77 } });
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ timeout_ms: 9_000 });
  });

  it('what failed tries used is in the failure, at the prices of the project', async () => {
    stub.will(stream(...chat.says('words')));
    const budget = { cost_rates: { 'lamp-1': { input_per_1m: 1, output_per_1m: 2 } } };
    const settings = { provider: 'lighthouse', model: 'lamp-1', base_url: `${stub.origin}/v1` };
    await scene.dispatched({ type: 'api_proxy', ...settings }, { budget: budget as object });
    const failure = await scene.fails(options());
    expect(failure.adapter_meta).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
      cost_usd: 0.00004,
    });
    expect(scene.project.read(`${KEPT}/last-answer.txt`)).toBe('words');
  });
});
