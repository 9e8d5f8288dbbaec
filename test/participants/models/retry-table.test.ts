// Every row of the retry table against a real server, with exact waits on virtual time.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/participants/models/calls/attempt.ts';
import { type Failure, NO_RETRIES, nextTry, RETRY_WAITS_MS } from '../../../src/participants/models/client/failure.ts';
import { apis, chat } from './apis.ts';
import { scene } from './scene.ts';
import { cut, reset, silence, status, stream, whole } from './stub-model.ts';

const S = 1000;
const RATE_LIMIT = [1 * S, 2 * S, 4 * S, 8 * S, 16 * S];
const SERVER = [2 * S, 4 * S, 8 * S];

describe.each(apis)('[MD2] over $name', (api) => {
  const good = stream(...api.says('Yes.'));

  it('retries 429 after 1, 2, 4, 8 and 16 s, and then gives up', async () => {
    const { fails, gaps, stub, progress } = await scene(api, [status(429, api.refusal('rate_limit_error', 'slower'))]);
    const error = await fails();
    expect(gaps()).toEqual(RATE_LIMIT);
    expect(stub.asked).toHaveLength(6);
    expect(error.kind).toBe('rate_limited');
    expect(error.details.call).toMatchObject({ class: 'transient', status: 429, retries: 5, request_id: 'req_1' });
    expect(error.message).toContain('slower');
    expect(progress).toHaveLength(5);
  });

  it.each([500, 502, 503, 504, 529])('retries %i after 2, 4 and 8 s, and then gives up', async (code) => {
    const { fails, gaps, stub } = await scene(api, [status(code, api.refusal('overloaded_error'))]);
    const error = await fails();
    expect(gaps()).toEqual(SERVER);
    expect(stub.asked).toHaveLength(4);
    expect(error.kind).toBe('overloaded');
    expect(error.details.call).toMatchObject({ class: 'transient', status: code, retries: 3 });
  });

  it('asks a server that times out once more after 5 s', async () => {
    const { fails, gaps, stub, clock } = await scene(api, [silence], { timeoutMs: 30 * S });
    const failed = fails();
    for (const tries of [1, 2]) {
      await stub.until(() => stub.asked.length === tries);
      clock.advance(30 * S);
    }
    const error = await failed;
    expect(gaps()).toEqual([30 * S + 5 * S]);
    expect(error.kind).toBe('timeout');
    expect(error.details).toMatchObject({ watchdog: 'wall', call: { class: 'transient', status: null, retries: 1 } });
  });

  it.each([
    ['drops the connection', reset],
    ['breaks off its answer', cut(...api.says('Yes.').slice(0, 2))],
    ['ends its stream early', stream(...api.says('Yes.').slice(0, 2))],
  ])('asks a server that %s once more after 5 s', async (_, broken) => {
    const { fails, gaps } = await scene(api, [broken]);
    const error = await fails();
    expect(gaps()).toEqual([5 * S]);
    expect(error.kind).toBe('network');
    expect(error.details.call).toMatchObject({ class: 'transient', retries: 1 });
  });

  it.each([
    ['invalid JSON', status(200, '{"oops')],
    ['an HTML page', status(200, '<html>hello</html>', { 'content-type': 'text/html' })],
    ['JSON without an answer', whole({ hello: 'world' })],
    ['an event with invalid JSON', stream('data: {"oops\n\n')],
    ['a tool call with invalid arguments', stream(...api.calls('look', '{"where":'))],
  ])('asks again immediately after %s', async (_, bad) => {
    const { fails, gaps } = await scene(api, [bad]);
    const error = await fails();
    expect(gaps()).toEqual([0]);
    expect(error.kind).toBe('bad_output');
    expect(error.details.call).toMatchObject({ class: 'parse', retries: 1 });
  });

  it.each([
    [400, 'invalid_request_error', 'invalid_request'],
    [401, 'authentication_error', 'auth'],
    [402, 'billing', 'budget_exceeded'],
    [403, 'permission_error', 'auth'],
    [404, 'not_found_error', 'invalid_request'],
    [413, 'request_too_large', 'invalid_request'],
    [422, 'unprocessable', 'invalid_request'],
  ])('[MD4] never retries %i', async (code, type, kind) => {
    const { fails, stub } = await scene(api, [status(code, api.refusal(type, 'because'), { 'retry-after': '1' })]);
    const error = await fails();
    expect(stub.asked).toHaveLength(1);
    expect(error.kind).toBe(kind);
    expect(error.details.call).toMatchObject({ class: 'permanent', status: code, code: type, retries: 0 });
    expect(error.message).toContain('because');
    if (kind === 'auth') expect(error.message).toContain('check the key');
  });

  it('asks again for an answer the caller rejects, sharing the count of malformed answers', async () => {
    const check = ({ text }: { readonly text: string }): string | null => (text === 'Yes.' ? null : `no yes: ${text}`);
    const no = stream(...api.says('No.'));
    const { fails, gaps } = await scene(api, [no]);
    const error = await fails({ check });
    expect(gaps()).toEqual([0]);
    expect(error.kind).toBe('bad_output');
    expect(error.message).toContain('no yes: No.');
    expect(error.details.call).toMatchObject({ class: 'parse', retries: 1, usage: { output_tokens: 10 } });
    const shared = await scene(api, [status(200, '{"oops'), no, good]);
    expect((await shared.fails({ check })).kind).toBe('bad_output');
    const better = await scene(api, [no, good]);
    expect(await better.ask({ check })).toMatchObject({ text: 'Yes.', retries: 1, usage: { output_tokens: 10 } });
  });

  it('counts each row separately, and stops at the first answer', async () => {
    const limited = status(429);
    const down = status(503);
    const answers = [limited, limited, down, reset, status(200, 'x'), limited, down, good];
    const { ask, gaps } = await scene(api, answers);
    const reply = await ask();
    expect(reply).toMatchObject({ text: 'Yes.', retries: 7, latency_ms: 18 * S });
    expect(gaps()).toEqual([1 * S, 2 * S, 2 * S, 5 * S, 0, 4 * S, 4 * S]);
  });
});

describe('[MD3] waits the service asks for', () => {
  it.each([
    ['3', 3 * S],
    ['0.5', 1 * S],
    ['1.25', 1250],
    ['Tue, 20 Oct 2026 00:00:07 GMT', 7 * S],
    ['Mon, 19 Oct 2026 00:00:00 GMT', 1 * S],
    ['soon', 1 * S],
    ['-5', 1 * S],
  ])('waits after a 429 with Retry-After: %s for %i ms', async (value, waitMs) => {
    const { ask, gaps } = await scene(chat, [status(429, {}, { 'retry-after': value }), stream(...chat.says('Yes.'))]);
    await ask();
    expect(gaps()).toEqual([waitMs]);
  });

  it('apply to 503 and 529, and in milliseconds', async () => {
    const answers = [status(503, {}, { 'retry-after': '10' }), status(529, {}, { 'retry-after-ms': '4500' })];
    const { ask, gaps } = await scene(chat, [...answers, stream(...chat.says('Yes.'))]);
    await ask();
    expect(gaps()).toEqual([10 * S, 4500]);
  });

  it('give up immediately, and report the wait, if it exceeds the total time', async () => {
    const { fails, stub } = await scene(chat, [status(429, {}, { 'retry-after': '86400' })]);
    const error = await fails();
    expect(stub.asked).toHaveLength(1);
    expect(error.kind).toBe('rate_limited');
    expect(error.details.retry_after_ms).toBe(86_400 * S);
  });

  it.each([
    [{ 'retry-after': '3', 'retry-after-ms': '0' }, 3 * S],
    [{ 'retry-after': '3', 'retry-after-ms': '4500' }, 4500],
    [{ 'retry-after': 'soon', 'retry-after-ms': '4500' }, 4500],
    [{ 'retry-after': '99999999999' }, 99_999_999_999 * S],
    [{ 'retry-after': '999999999999999' }, Number.MAX_SAFE_INTEGER],
    [{ 'retry-after-ms': '9'.repeat(40) }, Number.MAX_SAFE_INTEGER],
    [{ 'retry-after': 'soon' }, null],
  ])('use the longer of two headers, however long: %j', (headers: Record<string, string>, waitMs) => {
    expect(retryAfterMs({ get: (name) => headers[name] ?? null }, 0)).toBe(waitMs);
  });

  it('are read safely from any header', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const ms = retryAfterMs({ get: (name) => (name === 'retry-after' ? value : null) }, 0);
        expect(ms === null || (Number.isFinite(ms) && ms >= 0)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('[MD4] spending limits', () => {
  const details = { error_code: 'enforced_spend_limit_reached' };
  it.each([
    { type: 'rate_limit_error', message: 'm', details },
    { type: 'insufficient_quota', message: 'm', code: 'insufficient_quota' },
    { type: 'requests', message: 'm', code: 'credit_balance_exhausted' },
    { type: 'requests', message: 'm', code: 'organization_spend_limit_exceeded' },
    { type: 'requests', message: 'm', code: 'project_spend_limit_exceeded' },
    { type: 'requests', message: 'm', code: 'organization_usage_limit_exceeded' },
  ])('never retries a 429 caused by one: %o', async (error) => {
    for (const api of apis) {
      const { fails, stub } = await scene(api, [status(429, { type: 'error', error })]);
      const failed = await fails();
      expect(stub.asked).toHaveLength(1);
      expect(failed.kind).toBe('budget_exceeded');
      expect(failed.details.call).toMatchObject({ class: 'permanent', status: 429 });
    }
  });

  it('does not retry one inside an answer', async () => {
    const { fails, stub } = await scene(chat, [stream(chat.error('insufficient_quota'))]);
    expect((await fails()).kind).toBe('budget_exceeded');
    expect(stub.asked).toHaveLength(1);
  });
});

describe('[MD2] the table', () => {
  it('matches the documentation', () => {
    expect(RETRY_WAITS_MS).toEqual({ rate_limit: RATE_LIMIT, server: SERVER, network: [5 * S], malformed: [0] });
  });

  it('ends after at most ten retries, whatever fails', () => {
    const row = fc.constantFrom('rate_limit', 'server', 'network', 'malformed', null);
    fc.assert(
      fc.property(fc.array(row, { minLength: 11, maxLength: 30 }), (rows) => {
        let retries = NO_RETRIES;
        let tries = 0;
        for (const each of rows) {
          const next = nextTry(retries, { row: each, retryAfterMs: null } as Failure);
          if (next === null) break;
          retries = next.retries;
          tries += 1;
        }
        expect(tries).toBeLessThanOrEqual(10);
      }),
      { numRuns: 1000 },
    );
  });

  it('can be shortened by maxRetries', async () => {
    const { fails, stub } = await scene(chat, [status(429)], { maxRetries: 2 });
    expect((await fails()).details.call?.retries).toBe(2);
    expect(stub.asked).toHaveLength(3);
  });
});
