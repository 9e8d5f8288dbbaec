// The remote_agent driver against a real server in virtual time.

import { describe, expect, it } from 'vitest';
import { reset, type StubAnswer, silence, stall, status } from '../../participants/models/stub-model.ts';
import { BUNDLE, KEPT, ModelScene, SECRET, TURN } from './scene.ts';

const scene = ModelScene.fresh();

async function out(answer: StubAnswer, more: object = {}): Promise<void> {
  scene.stub.will(answer);
  await scene.dispatched({ type: 'remote_agent', url: `${scene.stub.origin}/turn?code=${SECRET}-q`, ...more });
}

describe('[GA11] remote_agent', () => {
  it.each([
    [400, 'invalid_request', 'permanent'],
    [401, 'auth_failure', 'permanent'],
    [403, 'auth_failure', 'permanent'],
    [404, 'invalid_request', 'permanent'],
    [307, 'redirected', 'permanent'],
    [429, 'rate_limited', 'transient'],
    [500, 'unknown_api_error', 'transient'],
    [503, 'provider_overloaded', 'transient'],
  ])('fails on HTTP %i as %s without a retry', async (code, error_class, category) => {
    await out(status(code, 'because', { location: `${scene.stub.origin}/elsewhere` }));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class, category, blocked: category === 'permanent', http_status: code });
    expect(failure.detail).toContain('because');
    expect(scene.stub.asked.map(({ path }) => path.replace(/\?.*/, ''))).toEqual(['/turn']);
  });

  it.each([
    ['no JSON', 'I have done it.', 'response_parse_failure'],
    ['half of it', '{"schema_version": "1.', 'response_parse_failure'],
    ['a list', '[]', 'turn_result_extraction_failure'],
    ['a text', '"{\\"schema_version\\":\\"1.0\\"}"', 'turn_result_extraction_failure'],
    ['another object', '{"error": "busy"}', 'turn_result_extraction_failure'],
  ])('rejects an answer that is %s', async (_, body, error_class) => {
    await out(status(200, body));
    expect(await scene.fails()).toMatchObject({ error_class, category: 'parse', blocked: false });
    expect(scene.staged()).toBeNull();
  });

  it('stops reading an endless answer', async () => {
    const piece = ' '.repeat(1024 * 1024);
    await out((response) => {
      const more = (): void => {
        if (response.writable && response.write(piece)) setImmediate(more);
        else response.once('drain', more);
      };
      response.writeHead(200);
      more();
    });
    expect(await scene.fails()).toMatchObject({ error_class: 'response_too_large', category: 'permanent' });
    await scene.stub.until(() => scene.stub.hungUp === 1);
  });

  it.each([
    ['no answer comes', silence],
    ['the body stalls', stall('{"schema_version"')],
  ])('times out when %s', async (_, answer) => {
    await out(answer, { timeout_ms: 30_000 });
    const failed = scene.fails();
    await scene.stub.until(() => scene.stub.asked.length === 1);
    await new Promise((done) => setImmediate(done));
    scene.clock.advance(30_000);
    expect(await failed).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
    await scene.stub.until(() => scene.stub.hungUp === 1);
  });

  it('times out after 120 s unless a timeout is requested', async () => {
    await out(silence);
    for (const [more, ms] of [
      [{}, 120_000],
      [{ timeoutMs: 7_000 }, 7_000],
    ] as const) {
      const asked = scene.stub.asked.length;
      const failed = scene.fails(more);
      await scene.stub.until(() => scene.stub.asked.length === asked + 1);
      expect((scene.clock.due ?? 0) - scene.clock.monotonic()).toBe(ms);
      scene.clock.advance(ms);
      expect(await failed).toMatchObject({ reason: 'timeout' });
      expect(scene.clock.waiting).toBe(0);
    }
  });

  it('reports a lost or unreachable server as network_failure', async () => {
    await out(reset);
    expect(await scene.fails()).toMatchObject({ error_class: 'network_failure', category: 'transient' });
    await scene.dispatched({ type: 'remote_agent', url: 'http://127.0.0.1:9/' });
    expect(await scene.fails()).toMatchObject({ error_class: 'network_failure' });
  });

  it('ends the request when the turn is cancelled', async () => {
    await out(silence);
    const failure = await scene.cancels(() => scene.stub.until(() => scene.stub.asked.length === 1));
    expect(failure).toMatchObject({ reason: 'aborted', blocked: false });
    await scene.stub.until(() => scene.stub.hungUp === 1);
    expect(scene.clock.waiting).toBe(0);
  });

  it('sends nothing if a variable is not set', async () => {
    await out(status(200), { headers: { authorization: 'Bearer ${WICK}' } });
    expect(await scene.fails({ variables: {} })).toMatchObject({
      error_class: 'unset_variable',
      blocked: true,
    });
    expect(scene.stub.asked).toEqual([]);
  });

  it('posts the bundle with the headers and stages the answer', async () => {
    await scene.dispatched({ type: 'manual' });
    await out(status(201, scene.result), { headers: { authorization: 'Bearer ${WICK}', 'x-lamp': 'on' } });
    expect(await scene.run({ variables: { WICK: SECRET } })).toEqual({ ok: true, turnResult: scene.result });
    expect(scene.staged()).toEqual(scene.result);
    expect(scene.stub.asked[0]).toMatchObject({ headers: { authorization: `Bearer ${SECRET}`, 'x-lamp': 'on' } });
    expect(scene.stub.asked[0]?.body).toEqual({
      ...{ run_id: 'run_lamp', turn_id: TURN, role: 'builder', phase: 'implementation', runtime_id: 'bench' },
      dispatch_dir: BUNDLE,
      prompt: scene.project.read(`${BUNDLE}/PROMPT.md`),
      context: scene.project.read(`${BUNDLE}/CONTEXT.md`),
    });
  });

  it.each([
    ['a refusal', status(401, `not with ${SECRET}, plain-in-config or ${SECRET}-q`)],
    ['plain text', status(200, `${SECRET} plain-in-config ${SECRET}-q`)],
    ['no answer', reset],
  ])('shows no secret after %s', async (_, answer) => {
    const headers = { 'x-wick': '${WICK}', 'x-api-key': 'plain-in-config' };
    await out(answer, { headers });
    const url = `${scene.stub.origin}/turn?code=${SECRET}-q`;
    const failure = await scene.fails({ variables: { WICK: SECRET } });
    const kept = [KEPT].map((folder) => scene.everythingIn(folder)).join('\n');
    for (const secret of [SECRET, 'plain-in-config', url])
      expect(`${JSON.stringify(failure)} ${kept}`).not.toContain(secret);
  });
});
