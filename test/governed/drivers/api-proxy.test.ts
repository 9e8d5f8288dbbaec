// The api_proxy driver against a real server in virtual time: every row of the protocol's tables.

import { describe, expect, it, vi } from 'vitest';
import { anthropic, chat } from '../../participants/models/apis.ts';
import {
  cut,
  reset,
  type StubAnswer,
  silence,
  stall,
  status,
  stream,
  whole,
} from '../../participants/models/stub-model.ts';
import { BUNDLE, KEPT, ModelScene, SECRET, TURN } from './scene.ts';

const S = 1000;
const RATE_LIMIT = [1 * S, 2 * S, 4 * S, 8 * S, 16 * S];

const scene = ModelScene.fresh();

const both = [
  { name: 'anthropic', api: anthropic, model: 'claude-sonnet-4-6', base: '' },
  { name: 'openai', api: chat, model: 'gpt-4o-mini', base: '/v1' },
  { name: 'lighthouse', api: chat, model: 'lamp-1', base: '/v1' },
] as const;
interface Way {
  readonly name: string;
  readonly model: string;
  readonly base: string;
}

/** Dispatches the turn to a model with these answers. */
async function dispatched(
  { name, model, base }: Way,
  answers: readonly StubAnswer[],
  more: object = {},
): Promise<void> {
  scene.stub.will(...answers);
  const place = { base_url: `${scene.stub.origin}${base}`, api_key_env: 'LAMP_KEY' };
  await scene.dispatched({ type: 'api_proxy', provider: name, model, ...place, ...more });
}

const gaps = (): readonly number[] =>
  scene.stub.asked.slice(1).map(({ atMs }, at) => atMs - (scene.stub.asked[at]?.atMs ?? 0));
const said = (over: object = {}): string => JSON.stringify({ ...scene.result, ...over });

describe.each(both)('[GA8] $name', (way) => {
  const { api } = way;

  it('retries 429 after 1, 2, 4, 8 and 16 s, then fails as transient', async () => {
    await dispatched(way, [status(429, api.refusal('rate_limit_error', 'slower'))]);
    const failure = await scene.fails();
    expect(gaps()).toEqual(RATE_LIMIT);
    const limited = { error_class: 'rate_limited', category: 'transient', blocked: false, http_status: 429 };
    expect(failure).toMatchObject(limited);
    expect(failure.adapter_meta).toMatchObject({ retries: 5, cost_usd: null, latency_ms: 31 * S });
    expect(failure.tries).toHaveLength(5);
  });

  it.each([500, 502, 503, 504, 529])('retries %i after 2, 4 and 8 s', async (code) => {
    await dispatched(way, [status(code)]);
    const error_class = code === 503 || code === 529 ? 'provider_overloaded' : 'unknown_api_error';
    expect(await scene.fails()).toMatchObject({ error_class, category: 'transient', http_status: code });
    expect(gaps()).toEqual([2 * S, 4 * S, 8 * S]);
  });

  it.each([
    [400, 'invalid_request', 'invalid_request_error', 'no such field'],
    [400, 'context_overflow', 'invalid_request_error', 'prompt is too long: 300000 tokens > 200000 maximum'],
    [401, 'auth_failure', 'authentication_error', 'who?'],
    [403, 'auth_failure', 'permission_error', 'not you'],
    [404, 'model_not_found', 'not_found_error', 'model: lamp-1'],
    [429, 'spend_limit', 'insufficient_quota', 'no money'],
  ])('never retries %i (%s)', async (code, error_class, type, message) => {
    await dispatched(way, [status(code, api.refusal(type, message))]);
    const failure = await scene.fails();
    expect(scene.stub.asked).toHaveLength(1);
    expect(failure).toMatchObject({ error_class, category: 'permanent', blocked: true, http_status: code });
    expect(failure.detail).toContain(message);
    if (error_class === 'auth_failure') expect(failure.recovery).toContain('Check the key');
  });

  it('retries once, 5 s after a timeout', async () => {
    await dispatched(way, [silence], { timeout_ms: 30 * S });
    const failed = scene.fails();
    for (const tries of [1, 2]) {
      await scene.stub.until(() => scene.stub.asked.length === tries);
      scene.clock.advance(30 * S);
    }
    expect(await failed).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
    expect(gaps()).toEqual([35 * S]);
  });

  it('applies the same timeout to a stalled body', async () => {
    await dispatched(way, [stall(...api.says('Half').slice(0, 2))], { timeout_ms: 30 * S });
    const failed = scene.fails();
    for (const tries of [1, 2]) {
      await scene.stub.until(() => scene.stub.asked.length === tries);
      while (scene.clock.waiting < 2) await new Promise((done) => setImmediate(done));
      scene.clock.advance(30 * S);
    }
    expect(await failed).toMatchObject({ reason: 'timeout' });
    expect(scene.stub.asked).toHaveLength(2);
  });

  it.each([
    ['reset connection', reset],
    ['cut answer', cut(...api.says('Yes.').slice(0, 2))],
  ])('retries once, 5 s after a %s', async (_, broken) => {
    await dispatched(way, [broken]);
    expect(await scene.fails()).toMatchObject({ error_class: 'network_failure', category: 'transient' });
    expect(gaps()).toEqual([5 * S]);
  });

  it.each([
    ['no JSON at all', () => status(200, '{"oops'), 'response_parse_failure'],
    ['words', () => stream(...api.says('I have done it.')), 'turn_result_extraction_failure'],
    ['half a result', () => stream(...api.says('{"schema_version": "1.0", "run_')), 'turn_result_extraction_failure'],
    ['JSON that is no result', () => stream(...api.says('{"ok": true}')), 'turn_result_extraction_failure'],
    ['an incomplete result', () => stream(...api.says(said({ summary: undefined }))), 'turn_result_extraction_failure'],
  ])('retries %s once, then fails as parse', async (_, answer, error_class) => {
    await scene.dispatched({ type: 'manual' });
    await dispatched(way, [answer()]);
    const failure = await scene.fails();
    expect(scene.stub.asked).toHaveLength(2);
    expect(gaps()).toEqual([0]);
    expect(failure).toMatchObject({ error_class, category: 'parse', blocked: false });
    expect(scene.staged()).toBeNull();
  });

  it('retries only once in all for answers it cannot parse, at any level', async () => {
    await dispatched(way, [status(200, '{"oops'), stream(...api.says('words')), stream(...api.says('{}'))]);
    await scene.fails();
    expect(scene.stub.asked).toHaveLength(2);
  });

  it('returns the answer after failures, with the number of retries', async () => {
    await scene.dispatched({ type: 'manual' });
    await dispatched(way, [status(429), status(500), stream(...api.says('sorry')), stream(...api.says(said()))]);
    const outcome = await scene.run();
    expect(outcome).toMatchObject({ ok: true, adapter_meta: { retries: 3, latency_ms: 3 * S } });
    expect(gaps()).toEqual([1 * S, 2 * S, 0]);
  });

  it('waits at least Retry-After, and fails immediately if that exceeds the timeout', async () => {
    await dispatched(way, [status(429, {}, { 'retry-after': '9' }), status(503, {}, { 'retry-after': '86400' })]);
    const failure = await scene.fails();
    expect(gaps()).toEqual([9 * S]);
    expect(failure).toMatchObject({ error_class: 'provider_overloaded', retry_after_ms: 86_400 * S });
  });

  it.each([0, 2])('limits retries to max_retries %i', async (max_retries) => {
    await dispatched(way, [status(429)], { max_retries });
    await scene.fails();
    expect(gaps()).toEqual(RATE_LIMIT.slice(0, max_retries));
  });

  it('applies the requested timeout to all tries together', async () => {
    await dispatched(way, [status(500)]);
    await scene.fails({ timeoutMs: 5 * S });
    expect(gaps()).toEqual([2 * S]);
  });

  it('can be cancelled while it waits', async () => {
    await dispatched(way, [silence]);
    const failure = await scene.cancels(() => scene.stub.until(() => scene.stub.asked.length === 1));
    expect(failure).toMatchObject({ reason: 'aborted', blocked: false });
    expect(scene.clock.waiting).toBe(0);
  });

  it('[GA7] sends prompt, context, max_tokens 8192, and the key in the right header', async () => {
    await scene.dispatched({ type: 'manual' });
    await dispatched(way, [whole(api.whole(said()))], { temperature: 0.2 });
    await scene.run();
    const [asked] = scene.stub.asked;
    if (asked === undefined) throw new Error('no request arrived');
    const { path, headers, body } = asked;
    expect(path).toBe(api.path);
    const isAnthropic = way.name === 'anthropic';
    expect(isAnthropic ? headers['x-api-key'] : headers.authorization).toBe(isAnthropic ? SECRET : `Bearer ${SECRET}`);
    expect(isAnthropic ? body.max_tokens : body.max_completion_tokens).toBe(8192);
    expect(body).toMatchObject({ model: way.model, temperature: 0.2 });
    const user = `${scene.project.read(`${BUNDLE}/PROMPT.md`)}\n\n---\n\n${scene.project.read(`${BUNDLE}/CONTEXT.md`)}`;
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify(user).slice(1, -1));
  });

  it('[GA7] stages the answer with its usage and cost', async () => {
    await scene.dispatched({ type: 'manual' });
    const answer = `Here it is:\n\`\`\`json\n${said({ cost: { usd: 99 } })}\n\`\`\`\nDone.`;
    await dispatched(way, [stream(...api.says(answer))]);
    const outcome = await scene.run();
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
    ['a 401 that repeats it', () => status(401, api.refusal('authentication_error', `${SECRET} is wrong`))],
    ['an answer that repeats it', () => stream(...api.says(`My key is ${SECRET}`))],
    ['a page that repeats it', () => status(200, SECRET)],
  ])('[GA9] shows the key in no file, outcome or message after %s', async (_, answer) => {
    await scene.dispatched({ type: 'manual' });
    await dispatched(way, [answer()]);
    const outcome = await scene.run();
    expect(`${JSON.stringify(outcome)} ${scene.everything()}`).not.toContain(SECRET);
    expect(JSON.stringify(scene.stub.asked[0]?.headers)).toContain(SECRET);
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ provider: way.name });
  });
});

describe('[GA9] api_proxy', () => {
  const own = both[0];

  it.each(['anthropic', 'openai', 'google'])('sends nothing to %s without its key', async (provider) => {
    await scene.dispatched({ type: 'api_proxy', provider, model: 'm' });
    const fetch = vi.fn();
    const failure = await scene.fails({ variables: {}, fetch });
    expect(failure).toMatchObject({ error_class: 'missing_credentials', category: 'permanent', blocked: true });
    expect(failure.detail).toMatch(/the key variable (ANTHROPIC|OPENAI|GEMINI)_API_KEY/);
    expect(fetch).not.toHaveBeenCalled();
  });

  it('requires base_url for an unknown provider', async () => {
    await scene.dispatched({ type: 'api_proxy', provider: 'oracle', model: 'm' });
    expect(await scene.fails()).toMatchObject({ error_class: 'unsupported_provider', blocked: true });
  });

  it('never sends the default key of a provider to another address', async () => {
    scene.stub.will(status(400));
    await scene.dispatched({ type: 'api_proxy', provider: 'anthropic', model: 'm', base_url: scene.stub.origin });
    await scene.fails({ variables: { ANTHROPIC_API_KEY: SECRET } });
    expect(JSON.stringify(scene.stub.asked[0]?.headers)).not.toContain(SECRET);
  });

  it.each([
    ['anthropic', 'https://api.anthropic.com/v1/messages'],
    ['openai', 'https://api.openai.com/v1/chat/completions'],
    ['google', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions'],
    ['ollama', 'http://127.0.0.1:11434/v1/chat/completions'],
  ])('calls %s at %s', async (provider, url) => {
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

  it('does not follow redirects', async () => {
    await dispatched(own, [status(307, '', { location: 'http://127.0.0.1:9/' })]);
    expect(await scene.fails()).toMatchObject({ error_class: 'redirected', category: 'permanent' });
    expect(scene.stub.asked).toHaveLength(1);
  });

  it('does not ask again after a refusal', async () => {
    const frames = anthropic.says('I will not.').map((frame) => frame.replace('end_turn', 'refusal'));
    await dispatched(own, [stream(...frames)]);
    const refused = { error_class: 'model_refused', category: 'permanent', adapter_meta: { output_tokens: 5 } };
    expect(await scene.fails()).toMatchObject(refused);
    expect(scene.stub.asked).toHaveLength(1);
  });

  it('says that max_tokens is too small for an answer that was cut off', async () => {
    const frames = anthropic.says('{"schema_version":').map((frame) => frame.replace('end_turn', 'max_tokens'));
    await dispatched(own, [stream(...frames)], { max_tokens: 5 });
    expect((await scene.fails()).detail).toContain('max_tokens is too small');
    expect(scene.stub.asked[0]?.body.max_tokens).toBe(5);
  });

  it('accepts the aliases of settings', async () => {
    scene.stub.will(stream(...anthropic.says('no')));
    await scene.dispatched({
      type: 'api_proxy',
      ...{ provider: 'anthropic', model: 'm', base_url: scene.stub.origin, auth_env: 'LAMP_KEY' },
      ...{ max_output_tokens: 77, timeout_seconds: 9 },
    });
    await scene.fails();
    expect(scene.stub.asked[0]).toMatchObject({ headers: { 'x-api-key': SECRET }, body: { max_tokens: 77 } });
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ timeout_ms: 9_000 });
  });

  it('[GA1, GA9] dispatches a sealed bundle again after a failure', async () => {
    await dispatched(own, [status(400, anthropic.refusal('invalid_request_error', 'no'))]);
    expect(await scene.fails()).toMatchObject({ category: 'permanent' });
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ provider: 'anthropic' });
    scene.stub.will(stream(...anthropic.says(said())));
    expect(await scene.run({ seal: { verifyManifest: true } })).toMatchObject({ ok: true });
  });

  it('[GA9] sends the google key in a header only and shows it nowhere', async () => {
    const google = { name: 'google', model: 'gemini-2.5-flash', base: '/v1beta/openai' };
    await dispatched(google, [status(403, chat.refusal('PERMISSION_DENIED', `${SECRET} may not`))]);
    const outcome = await scene.fails();
    const [asked] = scene.stub.asked;
    expect(JSON.stringify(asked?.headers)).toContain(SECRET);
    expect(JSON.stringify({ ...asked, headers: null })).not.toContain(SECRET);
    expect(`${JSON.stringify(outcome)} ${scene.everything()}`).not.toContain(SECRET);
    expect(JSON.parse(scene.project.read(`${KEPT}/API_REQUEST.json`))).toMatchObject({ provider: 'google' });
  });

  it('[GA7] does not round the cost of a small answer to zero', async () => {
    await scene.dispatched({ type: 'manual' });
    await dispatched(both[1], [stream(...chat.says(said()))]);
    // 10 tokens at 0.15 and 5 at 0.60 USD per million.
    expect(await scene.run()).toMatchObject({ ok: true, adapter_meta: { cost_usd: 0.0000045 } });
    expect(scene.staged()).toMatchObject({ cost: { usd: 0.0000045 } });
  });

  it('[GA7] reports null, not zero, as the cost of a model without a known price', async () => {
    await scene.dispatched({ type: 'manual' });
    await dispatched(both[2], [stream(...chat.says(said({ cost: { usd: 0 } })))]);
    expect(await scene.run()).toMatchObject({ ok: true, adapter_meta: { cost_usd: null, total_tokens: 15 } });
    expect(scene.staged()).toMatchObject({ turn_id: TURN, cost: { input_tokens: 10, output_tokens: 5 } });
    expect(scene.staged()).not.toHaveProperty('cost.usd');
  });

  it('reports the usage of failed tries at the prices of the project', async () => {
    scene.stub.will(stream(...chat.says('words')));
    const budget = { cost_rates: { 'lamp-1': { input_per_1m: 1, output_per_1m: 2 } } };
    const settings = { provider: 'lighthouse', model: 'lamp-1', base_url: `${scene.stub.origin}/v1` };
    await scene.dispatched({ type: 'api_proxy', ...settings }, { budget: budget as object });
    const failure = await scene.fails();
    const usage = { input_tokens: 20, output_tokens: 10, total_tokens: 30, cost_usd: 0.00004 };
    expect(failure.adapter_meta).toMatchObject(usage);
    expect(scene.project.read(`${KEPT}/last-answer.txt`)).toBe('words');
  });
});
